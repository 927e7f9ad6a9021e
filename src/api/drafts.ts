import { dialects, draftBytesMax } from '../core/presets/preset.ts';
import { storablePattern } from '../core/text/storable-text.ts';
import { Type } from '../core/type.ts';
import { operations } from './operation.ts';
import {
  ifMatchOf,
  ifNoneMatch,
  ifNoneMatchAny,
  slugParams,
  workspacePageQuery,
  workspaceQuery,
} from './preset-parameters.ts';
import {
  deleted,
  documentedPattern,
  integerMax,
  named,
  nullable,
  one,
  page,
  ref,
  timestamp,
} from './schema-parts.ts';

/** Drafts: unsaved work of one person on a preset. Capturing the text saves it as a version. */

/** The fields that an import has as well. */
export const draftContent = {
  text: Type.String({
    ...documentedPattern(storablePattern),
    description:
      'The text of a request in the dialect, with its conversation or without. It need not be valid JSON. ' +
      `At most ${draftBytesMax} bytes.`,
  }),
  dialect: nullable(Type.Enum([...dialects], { description: 'Null if it is not known yet.' })),
  base_version: Type.Integer({
    minimum: 1,
    maximum: integerMax,
    description: 'The version that the draft started from.',
  }),
};

export const PresetDraft = named(
  'PresetDraft',
  Type.Object(
    { ...draftContent, updated_at: timestamp },
    { additionalProperties: false, description: 'Your unsaved work on a preset. Nobody else can read it.' },
  ),
);

export const PresetDraftSummary = named(
  'PresetDraftSummary',
  Type.Object(
    {
      user_id: Type.String(),
      email: Type.String(),
      name: nullable(Type.String()),
      base_version: Type.Integer({ minimum: 1 }),
      updated_at: timestamp,
    },
    { additionalProperties: false, description: 'Who has a draft of a preset, without its text.' },
  ),
);

export type PresetDraft = Type.Static<typeof PresetDraft.schema>;
export type PresetDraftSummary = Type.Static<typeof PresetDraftSummary.schema>;

const tag = 'Presets';
const headers = { etag: { type: 'string', description: 'Changes whenever the draft changes.' } };

export const draftOperations = operations({
  'GET /presets/:slug/draft': {
    id: 'getPresetDraft',
    tag,
    access: 'read',
    summary: 'Get your draft of a preset',
    description: 'The draft of the person who is signed in or owns the key.',
    params: slugParams,
    query: workspaceQuery,
    headers: ifNoneMatch,
    response: { description: 'The draft.', headers, body: one(ref(PresetDraft)) },
  },
  'PUT /presets/:slug/draft': {
    id: 'savePresetDraft',
    tag,
    access: 'write',
    summary: 'Save your draft of a preset',
    description:
      'Creates or replaces it. The preset does not change: there is no event, and its ETag stays the same. ' +
      'Send `If-Match` with the ETag of the draft, or `If-None-Match: *`, so as not to overwrite another tab of yours.',
    params: slugParams,
    query: workspaceQuery,
    headers: Type.Object({ ...ifMatchOf('draft').properties, ...ifNoneMatchAny('draft') }),
    body: Type.Object(draftContent, { additionalProperties: false }),
    response: { description: 'The draft.', headers, body: one(ref(PresetDraft)) },
  },
  'DELETE /presets/:slug/draft': {
    id: 'discardPresetDraft',
    tag,
    access: 'write',
    summary: 'Discard your draft of a preset',
    params: slugParams,
    query: workspaceQuery,
    headers: ifMatchOf('draft'),
    response: deleted,
  },
  'GET /presets/:slug/drafts': {
    id: 'listPresetDrafts',
    tag,
    access: 'read',
    summary: 'List who has a draft of a preset',
    description: 'Most recently changed first, without texts.',
    params: slugParams,
    query: workspacePageQuery,
    response: {
      description: 'A page of drafts; empty past the end.',
      body: page(ref(PresetDraftSummary), 'Number of people who have a draft.'),
    },
  },
});
