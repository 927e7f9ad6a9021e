import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { errorResponses } from '../../api/errors.ts';
import type { Clock } from '../../core/clock.ts';
import { createVersion, previewVersion } from '../../core/presets/create-version.ts';
import { presetEtag } from '../../core/presets/precondition.ts';
import { type Dialect, dialects } from '../../core/presets/preset.ts';
import type { PresetStore } from '../../core/storage.ts';
import { dialectOf } from '../../dialects/dialects.ts';
import { fieldNamesHeader } from '../../dialects/field-names-header.ts';
import { findUncapturedFields, uncapturedFieldsMax } from '../../dialects/uncaptured-fields.ts';
import { ifMatchHeader, setEtag } from '../protocol/conditional.ts';
import { idempotencyKeyOf } from '../protocol/headers.ts';
import { changeRequestOf, type PresetRoute, slugParams, workspaceQuery } from './preset-request.ts';
import { presetResponse, previewResponse } from './preset-response.ts';

/** OpenRouter's operation ids, so that generated clients have the same method names. */
const operationIds: Readonly<Record<Dialect, string>> = {
  'chat-completions': 'createPresetsChatCompletions',
  messages: 'createPresetsMessages',
  responses: 'createPresetsResponses',
};

/**
 * Captures: each creates a preset, or its next version, from a request in one of the dialects.
 *
 * Plain captures are queued and committed together. A precondition or an idempotency key needs the
 * current state first, so those run in a transaction of their own; a retry with the same key
 * returns the first response. A dry run goes through all checks and stores nothing.
 */
export function presetCaptureRoutes(scope: FastifyInstance, presets: PresetStore, clock: Clock): void {
  for (const dialect of dialects) createRoute(dialect);

  function createRoute(dialect: Dialect): void {
    const { path, schemaName, capturePreset } = dialectOf[dialect];
    const schema = {
      operationId: operationIds[dialect],
      tags: ['Presets'],
      summary: `Create a preset, or its next version, from a ${dialect} request`,
      description:
        'Saves the configuration and the system prompt of the request as a new version, which becomes the live version. ' +
        'The conversation and per-call fields are not saved, and no model is called. ' +
        'Saved text must not contain the character U+0000.',
      params: slugParams,
      querystring: captureQuery,
      headers: captureHeaders,
      body: { $ref: `${schemaName}#` },
      response: {
        200: createdResponse,
        ...errorResponses(400, 401, 403, 404, 409, 412, 413, 415, 429, 500, 503),
      },
    };
    scope.post<PresetRoute & { Querystring: { dry_run?: boolean }; Body: object }>(
      `/presets/:slug${path}`,
      { schema },
      async (request, reply) => {
        // Validated as `request.body`; saved with exact numbers.
        const body = request.exactBody as object;
        const captured = capturePreset(body);
        const ignored = fieldNamesHeader(captured.ignoredFields);
        if (ignored !== undefined) reply.header('x-presetd-ignored-fields', ignored);
        reply.type('application/json');
        const key = idempotencyKeyOf(request);
        const create = {
          ...changeRequestOf(request),
          dialect,
          captured,
          idempotencyKey: key === undefined ? undefined : { key, requestHash: requestHash(request) },
        };
        if (request.query.dry_run)
          return previewResponse(
            await previewVersion(presets, clock, create),
            findUncapturedFields(body, dialect),
          );
        const { preset, isReplay } = await createVersion(presets, clock, create);
        if (isReplay) reply.header('idempotent-replayed', 'true');
        setEtag(reply, presetEtag(preset));
        return presetResponse(preset);
      },
    );

    /** Identifies a repeated request: an idempotency key must come with the same slug and body. */
    function requestHash({ params, bodyHash }: { params: { slug: string }; bodyHash: string }): string {
      return `${dialect} ${params.slug} ${bodyHash}`;
    }
  }
}

const captureQuery = Type.Object({
  ...workspaceQuery.properties,
  dry_run: Type.Optional(
    Type.Boolean({
      description: 'Return what would be stored, with null ids, without storing it.',
    }),
  ),
});

/** For the OpenAPI document; `idempotencyKeyOf` and `preconditionOf` validate. */
const captureHeaders = {
  type: 'object',
  properties: {
    'idempotency-key': {
      type: 'string',
      pattern: '^[!-~]{1,255}$',
      description:
        '1 to 255 visible ASCII characters. A retry with the same key and body within 24 hours returns the first response and creates no second version; the same key with another body returns 409.',
    },
    'if-match': ifMatchHeader,
    'if-none-match': { type: 'string', enum: ['*'], description: 'The preset must not exist yet.' },
  },
};

const createdResponse = {
  description: 'The preset with its new version, which is now live.',
  headers: {
    etag: { type: 'string', description: 'Changes whenever the preset changes. Absent on a dry run.' },
    'idempotent-replayed': {
      type: 'string',
      enum: ['true'],
      description: 'This is the response of an earlier request with the same idempotency key.',
    },
    'x-presetd-ignored-fields': {
      type: 'string',
      description: 'Unknown top-level fields that were ignored, percent-encoded.',
    },
  },
  type: 'object',
  required: ['data'],
  properties: {
    data: { anyOf: [{ $ref: 'Preset#' }, { $ref: 'PresetPreview#' }] },
    left_out: {
      type: 'array',
      items: { $ref: 'LeftOutField#' },
      maxItems: uncapturedFieldsMax,
      description: 'Dry run only: the top-level fields that would not be saved, in the order of the request.',
    },
    left_out_count: {
      type: 'integer',
      description: `Dry run only: the number of such fields, which may exceed the ${uncapturedFieldsMax} listed.`,
    },
  },
};
