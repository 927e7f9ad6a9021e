import type { FastifyInstance } from 'fastify';
import {
  exportOperations,
  type ImportLine,
  type ImportResult as ImportResultOnWire,
  importOperations,
  ndjson,
} from '../../api/transfer.ts';
import type { Clock } from '../../core/clock.ts';
import { workspaceFor } from '../../core/organization/workspace-access.ts';
import { exportPresets, type TransferStores } from '../../core/presets/export-presets.ts';
import type { ImportResult } from '../../core/presets/import-change.ts';
import { importPresets } from '../../core/presets/import-presets.ts';
import { authenticate, callerOf } from '../authentication.ts';
import { parseImport } from '../body/import-lines.ts';
import { parseJsonLines } from '../body/ndjson.ts';
import { assertNotCompressed } from '../body/request-body.ts';
import { streamResponse } from '../protocol/stream-response.ts';
import { serveOperations } from '../serve-operations.ts';

/**
 * Exports a workspace for backup or for moving presets to another server. The export is streamed,
 * so its size is not limited by memory. A client recognizes an incomplete export by the missing
 * last line, which states the counts.
 */
export function exportRoutes(scope: FastifyInstance, stores: TransferStores): void {
  serveOperations(scope, exportOperations, {
    'GET /export': async (request, reply) => {
      const caller = callerOf(request);
      const workspace = workspaceFor(caller, request.query.workspace_id, 'read');
      const draftsOf = request.query.drafts === false ? undefined : caller.ownerId;
      return streamResponse(reply, ndjson, exportPresets(stores, workspace, draftsOf));
    },
  });
}

/**
 * Imports lines of an export. Must be registered in its own scope, because it replaces the body
 * parser by one for newline-delimited JSON.
 *
 * The whole body is validated before anything is stored. Then each preset is one transaction, and
 * the key is checked again between them, so a key that is revoked during a long import stops it. An
 * interrupted import can be repeated: presets that are already there are not imported twice.
 */
export function importRoutes(scope: FastifyInstance, stores: TransferStores, clock: Clock): void {
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
  serveOperations(scope, importOperations, {
    'POST /import': async (request) => {
      const imported = parseImport(request.body, request.exactBody as readonly ImportLine[], (name) => {
        // A config must be a valid capture, so it is validated by the schema of its dialect.
        const validate = request.compileValidationSchema(requestSchema(name), 'body');
        return (value) => validate(value) as unknown as { readonly error?: Error };
      });
      const target = { caller: callerOf(request), workspaceId: request.query.workspace_id };
      const results = await importPresets(stores, clock, target, imported, () => authenticate(request));
      return { data: results.map(toWire) };
    },
  });
}

/** Grows to one entry per dialect. */
const requestSchemas = new Map<string, object>();

/** One schema object per name: the framework caches compiled validators by object identity. */
function requestSchema(name: string): object {
  const schema = requestSchemas.get(name) ?? { $ref: `${name}#` };
  requestSchemas.set(name, schema);
  return schema;
}

function toWire({ versionsAdded, isDraftSkipped, ...result }: ImportResult): ImportResultOnWire {
  return { ...result, versions_added: versionsAdded, ...(isDraftSkipped && { draft_skipped: true }) };
}
