import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { Clock } from '../../core/clock.ts';
import { createVersion } from '../../core/create-version.ts';
import type { CapturedPreset, Dialect } from '../../core/preset.ts';
import { slugPattern } from '../../core/slug.ts';
import type { PresetStore } from '../../core/storage.ts';
import type { ChatCompletionsRequest } from '../../dialects/chat-completions/schema.ts';
import { toPreset as fromChatCompletions } from '../../dialects/chat-completions/to-preset.ts';
import type { MessagesRequest } from '../../dialects/messages/schema.ts';
import { toPreset as fromMessages } from '../../dialects/messages/to-preset.ts';
import type { ResponsesRequest } from '../../dialects/responses/schema.ts';
import { toPreset as fromResponses } from '../../dialects/responses/to-preset.ts';
import { callerOf } from '../authentication.ts';
import { errorResponses } from '../error-schema.ts';
import { ignoredFieldsHeader } from '../ignored-fields.ts';
import { presetResponse } from '../preset-response.ts';

interface CreateRoute<Body> {
  readonly dialect: Dialect;
  readonly path: string;
  readonly bodySchema: string;
  readonly operationId: string;
  readonly toPreset: (body: Body) => CapturedPreset;
}

export function presetRoutes(scope: FastifyInstance, presets: PresetStore, clock: Clock): void {
  createRoute<ChatCompletionsRequest>({
    dialect: 'chat-completions',
    path: '/presets/:slug/chat/completions',
    bodySchema: 'ChatCompletionsRequest',
    operationId: 'createPresetsChatCompletions',
    toPreset: fromChatCompletions,
  });
  createRoute<MessagesRequest>({
    dialect: 'messages',
    path: '/presets/:slug/messages',
    bodySchema: 'MessagesRequest',
    operationId: 'createPresetsMessages',
    toPreset: fromMessages,
  });
  createRoute<ResponsesRequest>({
    dialect: 'responses',
    path: '/presets/:slug/responses',
    bodySchema: 'ResponsesRequest',
    operationId: 'createPresetsResponses',
    toPreset: fromResponses,
  });

  function createRoute<Body>({ dialect, path, bodySchema, operationId, toPreset }: CreateRoute<Body>): void {
    const schema = {
      operationId,
      tags: ['Presets'],
      summary: `Create a preset, or its next version, from a ${dialect} request`,
      description:
        'Captures what configures the request and the text of its system prompt, and designates the new version. ' +
        'The conversation and per-call fields are not kept, and no inference is run.',
      params: slugParams,
      querystring: workspaceQuery,
      body: { $ref: `${bodySchema}#` },
      response: {
        200: createdResponse,
        ...errorResponses(400, 401, 403, 404, 409, 413, 415, 429, 500, 503),
      },
    };
    scope.post<{ Params: { slug: string }; Querystring: { workspace_id?: string }; Body: Body }>(
      path,
      { schema },
      async (request, reply) => {
        const captured = toPreset(request.exactBody as Body);
        const preset = await createVersion(presets, clock, {
          caller: callerOf(request),
          slug: request.params.slug,
          workspaceId: request.query.workspace_id,
          dialect,
          captured,
        });
        const ignored = ignoredFieldsHeader(captured.ignoredFields);
        if (ignored !== undefined) reply.header('x-presetd-ignored-fields', ignored);
        reply.type('application/json');
        return presetResponse(preset);
      },
    );
  }
}

const slugParams = Type.Object({
  slug: Type.String({
    pattern: slugPattern,
    description: '1 to 128 of `A-Z a-z 0-9 - . _ ~`, case-sensitive; not `.` or `..`.',
  }),
});

const workspaceQuery = Type.Object({
  workspace_id: Type.Optional(
    Type.String({
      format: 'uuid',
      description: 'For a management key: the workspace to create in. Without it, the default workspace.',
    }),
  ),
});

const createdResponse = {
  description: 'The preset with its new version, which is now the designated one.',
  headers: {
    'x-presetd-ignored-fields': {
      type: 'string',
      description: 'Names of top-level fields that the dialect does not know, percent-encoded.',
    },
  },
  type: 'object',
  required: ['data'],
  properties: { data: { $ref: 'Preset#' } },
};
