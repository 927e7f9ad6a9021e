import type { FastifyInstance } from 'fastify';
import { captureOperations } from '../../api/captures.ts';
import type { Clock } from '../../core/clock.ts';
import { headerNames } from '../../core/header-names.ts';
import { createVersion, previewVersion } from '../../core/presets/create-version.ts';
import { presetEtag } from '../../core/presets/precondition.ts';
import type { Dialect } from '../../core/presets/preset.ts';
import type { PresetStore } from '../../core/presets/preset-storage.ts';
import { findCacheWarnings } from '../../dialects/presets/cached-prompt.ts';
import { findBrokenCalls } from '../../dialects/presets/extension/broken-calls.ts';
import { findExtensionWarnings } from '../../dialects/presets/extension/check-extension.ts';
import { findUncapturedFields } from '../../dialects/presets/uncaptured-fields.ts';
import { findUpstreamIssues } from '../../dialects/presets/upstream-issues.ts';
import { fieldNamesHeader } from '../../gateway/response/response-headers.ts';
import { setEtag } from '../protocol/conditional.ts';
import { idempotencyKeyOf } from '../protocol/headers.ts';
import { type Handler, serveOperations } from '../serve-operations.ts';
import { captureRequest, withFurtherIssues } from '../validation/capture-issues.ts';
import { changeRequestOf } from './preset-request.ts';
import { presetResponse, previewResponse } from './preset-response.ts';

/**
 * Plain captures are queued and committed together. A precondition or an idempotency key needs the
 * current state first, so those run in a transaction of their own; a retry with the same key
 * returns the first response. A dry run goes through all checks and stores nothing.
 */
export function captureRoutes(scope: FastifyInstance, presets: PresetStore, clock: Clock): void {
  const handlers = {
    'POST /presets/:slug/chat/completions': capture('chat-completions'),
    'POST /presets/:slug/messages': capture('messages'),
    'POST /presets/:slug/responses': capture('responses'),
  };
  // The handler adds what it finds to the issues of an invalid body.
  serveOperations(scope, captureOperations, handlers, { attachValidation: true });

  function capture(dialect: Dialect): Handler<(typeof captureOperations)[keyof typeof captureOperations]> {
    return async (request, reply) => {
      const { validationError: error } = request;
      if (error?.validationContext === 'body') throw withFurtherIssues(error, request.body, dialect);
      if (error !== undefined) throw error;
      // Validated as `request.body`; saved with exact numbers.
      const body = request.exactBody as object;
      const captured = captureRequest(body, dialect);
      const ignored = fieldNamesHeader(captured.ignoredFields);
      if (ignored !== undefined) reply.header(headerNames.ignoredFields, ignored);
      reply.type('application/json');
      const key = idempotencyKeyOf(request);
      // An idempotency key must come with the same slug and body each time.
      const requestHash = `${dialect} ${request.params.slug} ${request.bodyHash}`;
      const create = {
        ...changeRequestOf(request),
        dialect,
        captured,
        idempotencyKey: key === undefined ? undefined : { key, requestHash },
      };
      if (request.query.dry_run) {
        const { preset, replaced } = await previewVersion(presets, clock, create);
        const { rejected, doubtful } = findUpstreamIssues(captured.config, dialect);
        return previewResponse(preset, findUncapturedFields(body, dialect), [
          ...findCacheWarnings(body),
          ...findExtensionWarnings(captured, dialect),
          ...rejected,
          ...doubtful,
          ...(replaced === undefined ? [] : findBrokenCalls(replaced, preset.designatedVersion)),
        ]);
      }
      const { preset, isReplay } = await createVersion(presets, clock, create);
      if (isReplay) reply.header('idempotent-replayed', 'true');
      setEtag(reply, presetEtag(preset));
      // The response shows the live version, which is another one if this version did not go live.
      reply.header(headerNames.preset, `${preset.slug}@${preset.latestVersion}`);
      return presetResponse(preset);
    };
  }
}
