import { caseBytesMax, caseNameCharactersMax, caseNamePattern, casesMax } from '../core/presets/case-name.ts';
import { noteCharactersMax } from '../core/presets/preset.ts';
import { Type } from '../core/type.ts';
import { assistantMessage, toolMessage, userMessage } from '../dialects/chat-completions/conversation.ts';
import { anyObject, closedUnion } from '../dialects/schema/combinators.ts';
import { operations } from './operation.ts';
import { ifMatch, slugParam, slugParams, workspacePageQuery, workspaceQuery } from './preset-parameters.ts';
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

/** Test cases: named inputs to try a preset with, shared by everyone with access to it. */

const message = closedUnion('role', [userMessage, assistantMessage, toolMessage]);

const variables = Type.Unsafe<Record<string, unknown>>({
  ...anyObject,
  description: 'Values for the variables of the preset, by name, as in `prompt.variables` of a call.',
});

const messages = Type.Array(message, {
  description:
    'The conversation, in the format of chat completions: turns of the user and the assistant, and results of tools.',
});

const noteText = Type.String({
  minLength: 1,
  maxLength: noteCharactersMax,
  description: 'What the case is about.',
});

/** The fields that an import has as well. */
export const caseContent = {
  variables: Type.Optional(variables),
  messages: Type.Optional(messages),
  note: Type.Optional(nullable(noteText)),
};

const nameRules = {
  minLength: 1,
  maxLength: caseNameCharactersMax,
  ...documentedPattern(caseNamePattern),
};

export const caseName = (description: string) =>
  Type.String({
    ...nameRules,
    description: `${description}: 1 to ${caseNameCharactersMax} characters in one line, not \`.\` or \`..\`.`,
  });

export const PresetCase = named(
  'PresetCase',
  Type.Object(
    {
      name: Type.String(),
      variables,
      messages,
      note: nullable(noteText),
      event_number: Type.Integer({
        minimum: 1,
        description: 'The number of the event that stored it, for `at`.',
      }),
      updated_at: timestamp,
      updated_by: Type.String({ description: 'The user who stored it.' }),
      updated_by_email: nullable(Type.String()),
    },
    { additionalProperties: false, description: 'A named input to try a preset with.' },
  ),
);

const PresetCaseInput = named(
  'PresetCaseInput',
  Type.Object(
    { name: Type.Optional(caseName('Another name for the case')), ...caseContent },
    {
      additionalProperties: false,
      description: `At most ${caseBytesMax} bytes of JSON.`,
    },
  ),
);

export type PresetCase = Type.Static<typeof PresetCase.schema>;

const params = Type.Object({ ...slugParam, name: caseName('The name of the case') });

const tag = 'Presets';
const headers = { etag: { type: 'string', description: 'The new ETag of the preset.' } };

export const caseOperations = operations({
  'GET /presets/:slug/cases': {
    id: 'listPresetCases',
    tag,
    access: 'read',
    summary: 'List the test cases of a preset',
    description: `Sorted by name; a preset has at most ${casesMax}.`,
    params: slugParams,
    query: workspacePageQuery,
    response: {
      description: 'A page of cases; empty past the end.',
      body: page(ref(PresetCase), 'Number of cases.'),
    },
  },
  'GET /presets/:slug/cases/:name': {
    id: 'getPresetCase',
    tag,
    access: 'read',
    summary: 'Get a test case of a preset',
    params,
    query: Type.Object({
      ...workspaceQuery.properties,
      at: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: integerMax,
          description:
            'The number of an event of the preset: returns the case as it was then, by the name it had then.',
        }),
      ),
    }),
    response: { description: 'The case.', body: one(ref(PresetCase)) },
  },
  'PUT /presets/:slug/cases/:name': {
    id: 'savePresetCase',
    tag,
    access: 'write',
    summary: 'Create, replace or rename a test case',
    description:
      'Omitted fields become empty. With another `name` in the body, the case is renamed; it then has to exist. ' +
      'Saving a case that has this content already changes nothing. Returns 409 if another case has the new name.',
    params,
    query: workspaceQuery,
    headers: ifMatch,
    body: ref(PresetCaseInput),
    response: { description: 'The case.', headers, body: one(ref(PresetCase)) },
    errors: [409],
  },
  'DELETE /presets/:slug/cases/:name': {
    id: 'removePresetCase',
    tag,
    access: 'write',
    summary: 'Remove a test case',
    description: 'It can still be read as it was at an earlier event.',
    params,
    query: workspaceQuery,
    headers: ifMatch,
    response: { ...deleted, headers },
    errors: [409],
  },
});
