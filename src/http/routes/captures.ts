import type { FastifyInstance, FastifyRequest } from 'fastify';
import { captureOperations } from '../../api/captures.ts';
import type { Clock } from '../../core/clock.ts';
import { type Issue, PresetdError } from '../../core/errors.ts';
import { pointerSegment } from '../../core/json-pointer.ts';
import { createVersion, previewVersion } from '../../core/presets/create-version.ts';
import { presetEtag } from '../../core/presets/precondition.ts';
import type { CapturedPreset, Dialect } from '../../core/presets/preset.ts';
import { findPresetsUsedAsModels } from '../../core/presets/preset-reference.ts';
import { assertNoIssues } from '../../core/request-issues.ts';
import type { PresetStore } from '../../core/storage.ts';
import { dialectOf } from '../../dialects/dialects.ts';
import { findExtensionIssues, findExtensionWarnings } from '../../dialects/extension/check-extension.ts';
import { isJsonObject, type JsonObject } from '../../dialects/json-object.ts';
import { findUncapturedFields } from '../../dialects/uncaptured-fields.ts';
import { fieldNamesHeader } from '../../gateway/response-headers.ts';
import { setEtag } from '../protocol/conditional.ts';
import { idempotencyKeyOf } from '../protocol/headers.ts';
import { type Handler, serveOperations } from '../serve-operations.ts';
import { partition } from '../validation/json-schema.ts';
import { issuesMax, summarizeIssues } from '../validation/validation-issues.ts';
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
      if (request.validationError !== undefined) throw withFurtherIssues(request, dialect);
      // Validated as `request.body`; saved with exact numbers.
      const body = request.exactBody as object;
      const captured = dialectOf[dialect].capturePreset(body);
      assertNoIssues(findCaptureIssues(captured, dialect));
      const ignored = fieldNamesHeader(captured.ignoredFields);
      if (ignored !== undefined) reply.header('x-presetd-ignored-fields', ignored);
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
      if (request.query.dry_run)
        return previewResponse(
          await previewVersion(presets, clock, create),
          findUncapturedFields(body, dialect),
          findExtensionWarnings(captured, dialect),
        );
      const { preset, isReplay } = await createVersion(presets, clock, create);
      if (isReplay) reply.header('idempotent-replayed', 'true');
      setEtag(reply, presetEtag(preset));
      // The response shows the live version, which is another one if this version did not go live.
      reply.header('x-presetd-preset', `${preset.slug}@${preset.latestVersion}`);
      return presetResponse(preset);
    };
  }
}

/** Finds issues that a schema cannot express. */
function findCaptureIssues(captured: CapturedPreset, dialect: Dialect): readonly Issue[] {
  return [...findPresetsUsedAsModels(captured.config), ...findExtensionIssues(captured, dialect)];
}

/**
 * The error for a request that violates its schema. If the rest of the body is valid, its issues
 * are reported as well, so that people need not fix a request in several rounds.
 */
function withFurtherIssues(request: FastifyRequest, dialect: Dialect): unknown {
  const { validationError: error, body } = request;
  if (!(error instanceof PresetdError) || error.validationContext !== 'body' || !isJsonObject(body))
    return error;
  const { issues = [] } = error;
  const { minimalConversation, capturePreset } = dialectOf[dialect];
  const rest = { model: '', ...minimalConversation, ...withoutInvalidFields(body, issues) };
  const validate = request.getValidationFunction('body');
  const checked = validate?.(rest) as { readonly error?: Error } | undefined;
  if (checked === undefined || checked.error !== undefined) return error;
  const all = [...issues, ...findCaptureIssues(capturePreset(rest), dialect)];
  return new PresetdError('invalid_request', `The request body is not valid: ${summarizeIssues(all)}.`, {
    issues: all.slice(0, issuesMax),
  });
}

/** Of the `presetd` object, only the invalid keys are removed. */
function withoutInvalidFields(body: JsonObject, issues: readonly Issue[]): JsonObject {
  const [inExtension, others] = partition(issues, ({ path }) => path.startsWith('/presetd/'));
  const { presetd } = body;
  return {
    ...withoutFields(body, others, ''),
    ...(isJsonObject(presetd) && { presetd: withoutFields(presetd, inExtension, '/presetd') }),
  };
}

function withoutFields(value: JsonObject, issues: readonly Issue[], path: string): JsonObject {
  const invalid = new Set(issues.map((issue) => issue.path.slice(path.length).split('/')[1]));
  const valid = Object.entries(value).filter(([name]) => !invalid.has(pointerSegment(name).slice(1)));
  return Object.fromEntries(valid);
}
