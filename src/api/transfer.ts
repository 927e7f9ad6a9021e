import { slugPattern, slugRule } from '../core/preset-slug.ts';
import { aliasesMax } from '../core/presets/alias.ts';
import { casesMax } from '../core/presets/case-name.ts';
import { labelPattern, labelRule, labelsMax } from '../core/presets/label.ts';
import { dialects, exportFormat } from '../core/presets/preset.ts';
import { Type } from '../core/type.ts';
import { extension } from '../dialects/presets/extension/schema.ts';
import { caseContent, caseName } from './cases.ts';
import { draftContent } from './drafts.ts';
import { operations } from './operation.ts';
import { tagList, workspaceQuery } from './preset-parameters.ts';
import { integerMax, named, nullable, ref } from './schema-parts.ts';

/**
 * Export and import of all presets of a workspace, as newline-delimited JSON: a head line, then
 * each preset followed by its versions, its cases and a draft, then an end line. Head and end are
 * optional in an import, so that a client can send a large export in several requests.
 */

export const ndjson = 'application/x-ndjson';

/** Exactly as exports write it: UTC with milliseconds, so that times compare as text. */
const time = Type.String({
  pattern: '^(19[789]|2\\d\\d)\\d-\\d\\d-\\d\\dT\\d\\d:\\d\\d:[0-5]\\d\\.\\d{3}Z$',
  format: 'date-time',
  'x-must': 'must be a time since 1970 such as 2026-01-31T12:00:00.000Z',
});
const slug = Type.String({ pattern: slugPattern, 'x-must': slugRule });
/** One below the maximum, so that the preset can still get another version. */
const versionNumber = Type.Integer({ minimum: 1, maximum: integerMax - 1 });
const closed = { additionalProperties: false };

const headLine = Type.Object(
  { type: Type.Literal('export'), format: Type.Literal(exportFormat), presets: Type.Integer() },
  closed,
);

const presetLine = Type.Object(
  {
    type: Type.Literal('preset'),
    slug,
    name: Type.String({ minLength: 1, maxLength: 200 }),
    description: nullable(Type.String({ maxLength: 2_000 })),
    status: Type.Enum(['active', 'disabled', 'archived']),
    status_updated_at: nullable(time),
    created_at: time,
    updated_at: time,
    versions: versionNumber,
    designated_version: versionNumber,
    labels: Type.Unsafe<Record<string, number>>({
      type: 'object',
      propertyNames: { pattern: labelPattern, 'x-must': labelRule },
      additionalProperties: versionNumber,
      maxProperties: labelsMax,
    }),
    // Absent if the preset has none.
    aliases: Type.Optional(Type.Array(slug, { maxItems: aliasesMax, uniqueItems: true })),
    tags: Type.Optional(tagList('Absent if the preset has none.')),
    // Absent if the preset never had one.
    cases: Type.Optional(
      Type.Array(caseName('The name of a test case'), { maxItems: casesMax, uniqueItems: true }),
    ),
  },
  closed,
);

const versionLine = Type.Object(
  {
    type: Type.Literal('version'),
    slug,
    version: versionNumber,
    dialect: Type.Enum([...dialects]),
    system_prompt: nullable(Type.String({ minLength: 1 })),
    created_at: time,
    config: Type.Record(Type.String(), Type.Unknown()),
    presetd: Type.Optional(extension),
  },
  closed,
);

const caseLine = Type.Object(
  { type: Type.Literal('case'), slug, name: caseName('The name of the test case'), ...caseContent },
  closed,
);

const draftLine = Type.Object(
  { type: Type.Literal('draft'), slug, ...draftContent, updated_at: time },
  closed,
);

const endLine = Type.Object(
  { type: Type.Literal('end'), presets: Type.Integer(), versions: Type.Integer() },
  closed,
);

const importLines = Type.Array(
  Type.Union([headLine, presetLine, versionLine, caseLine, draftLine, endLine]),
  {
    description: 'One JSON value per line, as returned by `/api/v1/export`.',
  },
);

export type PresetLine = Type.Static<typeof presetLine>;
export type VersionLine = Type.Static<typeof versionLine>;
export type CaseLine = Type.Static<typeof caseLine>;
export type DraftLine = Type.Static<typeof draftLine>;
export type ImportLine = Type.Static<typeof importLines>[number];

export const ImportResult = named(
  'ImportResult',
  Type.Object(
    {
      slug: Type.String(),
      outcome: Type.Enum(['created', 'updated', 'unchanged', 'ahead', 'conflict'], {
        description:
          '`ahead`: the preset here is newer and was not changed. `conflict`: the preset was not changed; `message` says why.',
      }),
      versions_added: Type.Integer({ minimum: 0 }),
      message: Type.Optional(Type.String()),
      draft_skipped: Type.Optional(
        Type.Boolean({
          description: 'True if the draft was not imported, because you have another draft of the preset.',
        }),
      ),
    },
    { additionalProperties: false, description: 'The result for one preset of an import.' },
  ),
);

export type ImportResult = Type.Static<typeof ImportResult.schema>;

const tag = 'Presets';

export const exportOperations = operations({
  'GET /export': {
    id: 'exportPresets',
    tag,
    access: 'read',
    summary: 'Export all presets of a workspace with their versions, labels, aliases, tags and test cases',
    description:
      'Newline-delimited JSON: a header line, then each preset followed by its versions, its test cases and your own draft of ' +
      'it, then a final line. It contains no ids or user data, and can be sent to `/api/v1/import` of another server. Drafts ' +
      'are text that you have not saved yet: export without them (`drafts=false`) to share the file.',
    query: Type.Object({
      ...workspaceQuery.properties,
      drafts: Type.Optional(
        Type.Boolean({ description: 'Whether to include your own drafts. Default true.' }),
      ),
    }),
    response: { description: 'The export, as a stream.', content: { [ndjson]: { type: 'string' } } },
  },
});

export const importOperations = operations({
  'POST /import': {
    id: 'importPresets',
    tag,
    access: 'release',
    summary: 'Import presets from an export',
    description:
      'Accepts any sequence of lines of an export: presets, each followed by some or all of its versions and test cases. A ' +
      'preset can be split over several requests, each with its preset line and the next lines; name, status, labels, aliases, ' +
      'tags, test cases and live version are set once its last version has arrived. A draft becomes yours, unless you have ' +
      'another one of that preset. Importing again changes nothing, and existing versions never change.',
    query: workspaceQuery,
    body: importLines,
    bodyTypes: [ndjson],
    response: {
      description: 'The result for each preset, in the order of the request.',
      body: Type.Object({ data: Type.Array(ref(ImportResult)) }),
    },
  },
});
