import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { errorResponses } from '../../api/errors.ts';
import type { Clock } from '../../core/clock.ts';
import { importPresets } from '../../core/presets/import-presets.ts';
import type { ImportResult } from '../../core/presets/imported-preset.ts';
import type { PresetStore } from '../../core/storage.ts';
import { authenticate, callerOf } from '../authentication.ts';
import { type ImportLine, importLines, parseImport } from '../body/import-lines.ts';
import { ndjson, parseJsonLines } from '../body/ndjson.ts';
import { assertNotCompressed } from '../body/request-body.ts';
import { type PresetRoute, workspaceQuery } from './preset-request.ts';

/**
 * Imports lines of an export. Must be registered in its own scope, because it replaces the body
 * parser by one for newline-delimited JSON.
 *
 * The whole body is validated before anything is stored. Then each preset is one transaction, and
 * the key is checked again between them, so a key that is revoked during a long import stops it. An
 * interrupted import can be repeated: presets that are already there are not imported twice.
 */
export function importRoutes(scope: FastifyInstance, presets: PresetStore, clock: Clock): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(ndjson, { parseAs: 'buffer' }, (request, bytes, done) => {
    try {
      assertNotCompressed(request);
      const { values, exactValues } = parseJsonLines(bytes as Buffer);
      request.exactBody = exactValues;
      done(null, values);
    } catch (error) {
      done(error as Error);
    }
  });
  scope.post<Pick<PresetRoute, 'Querystring'> & { Body: readonly ImportLine[] }>(
    '/import',
    { schema },
    async (request) => {
      const imported = parseImport(request.body, request.exactBody as readonly ImportLine[], (name) => {
        // A config must be a valid capture, so it is validated by the schema of its dialect.
        const validate = request.compileValidationSchema(requestSchema(name), 'body');
        return (value) => validate(value) as unknown as { readonly error?: Error };
      });
      const target = { caller: callerOf(request), workspaceId: request.query.workspace_id };
      const results = await importPresets(presets, clock, target, imported, () => authenticate(request));
      return { data: results.map(toWire) };
    },
  );
}

/** Grows to one entry per dialect. */
const requestSchemas = new Map<string, object>();

/** One schema object per name: the framework caches compiled validators by object identity. */
function requestSchema(name: string): object {
  const schema = requestSchemas.get(name) ?? { $ref: `${name}#` };
  requestSchemas.set(name, schema);
  return schema;
}

function toWire({ versionsAdded, ...result }: ImportResult): Type.Static<typeof importResultSchema> {
  return { ...result, versions_added: versionsAdded };
}

export const importResultSchema = Type.Object(
  {
    slug: Type.String(),
    outcome: Type.Enum(['created', 'updated', 'unchanged', 'ahead', 'conflict'], {
      description:
        '`ahead`: the preset here is newer and was not changed. `conflict`: the preset was not changed; `message` says why.',
    }),
    versions_added: Type.Integer({ minimum: 0 }),
    message: Type.Optional(Type.String()),
  },
  { additionalProperties: false, description: 'The result for one preset of an import.' },
);

const schema = {
  operationId: 'importPresets',
  tags: ['Presets'],
  summary: 'Import presets from an export',
  description:
    'Accepts any sequence of lines of an export: presets, each followed by some or all of its versions. A preset can be ' +
    'split over several requests, each with its preset line and the next versions; name, status, labels and live version ' +
    'are set once its last version has arrived. Importing again changes nothing, and existing versions never change.',
  consumes: [ndjson],
  querystring: workspaceQuery,
  body: importLines,
  response: {
    200: {
      description: 'The result for each preset, in the order of the request.',
      type: 'object',
      required: ['data'],
      properties: { data: { type: 'array', items: { $ref: 'ImportResult#' } } },
    },
    ...errorResponses(400, 401, 403, 404, 413, 415, 429, 500, 503),
  },
};
