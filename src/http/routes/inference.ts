import type { FastifyInstance } from 'fastify';
import { errorResponsesOf } from '../../api/errors.ts';
import { type Dialect, dialects } from '../../core/presets/preset.ts';
import { dialectOf } from '../../dialects/dialects.ts';
import { type CallTrace, createTrace, type HeaderList } from '../../gateway/call.ts';
import { callerOf } from '../authentication.ts';
import { callSchemaNames } from '../body/call-request.ts';
import { type CallServer, queryOf } from '../serve-call.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set on model calls only. Errors have the format of this dialect. */
    dialect?: Dialect;
  }
  interface FastifyRequest {
    /** What the gateway did with the call; null for other requests. */
    trace: CallTrace | null;
    /** How long admission took, and when the body was complete; for the overhead metric. */
    admittedMs: number;
    receivedAt: number;
  }
}

/**
 * Model calls in three dialects, which the gateway completes with a preset and forwards. These
 * routes serve what the fast path does not: uncached keys, chunked bodies and everything invalid.
 */
export function inferenceRoutes(scope: FastifyInstance, calls: CallServer): void {
  scope.removeAllContentTypeParsers();
  // The raw bytes are kept: `CallServer` parses them, and an unchanged body is forwarded as it is.
  scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    request.receivedAt = performance.now();
    done(null, bytes);
  });
  scope.addHook('onRequest', (request, reply, done) => {
    request.admittedMs = reply.elapsedTime;
    done();
  });
  for (const dialect of dialects) {
    const { path } = dialectOf[dialect];
    const schema = {
      operationId: operationIds[dialect],
      tags: ['Inference'],
      summary: `Call a model or preset with a ${dialect} request`,
      description,
      headers: callHeaders,
      body: { $ref: `${callSchemaNames[dialect]}#` },
      response: {
        200: success,
        ...errorResponsesOf(dialect === 'messages' ? 'MessagesError' : 'Error', errorStatuses),
      },
    };
    // The schema is for the API reference only: the upstream may support fields newer than this
    // server.
    const validatorCompiler = () => () => true;
    scope.post(path, { schema, validatorCompiler, config: { dialect } }, (request, reply) => {
      const { headers, admittedMs, receivedAt } = request;
      const trace = createTrace();
      request.trace = trace;
      // The gateway writes to the raw response itself, often as a stream.
      reply.hijack();
      calls.serve({
        dialect,
        caller: callerOf(request),
        requestId: request.id,
        headers,
        query: queryOf(request.raw.url ?? ''),
        // Without Content-Length and Transfer-Encoding the parser never runs.
        bytes: (request.body as Buffer | undefined) ?? Buffer.alloc(0),
        response: reply.raw,
        commonHeaders: () => Object.entries(reply.getHeaders()).flat() as HeaderList,
        admittedMs,
        receivedAt,
        trace,
      });
    });
  }
}

const errorStatuses = [400, 401, 403, 404, 413, 415, 424, 429, 500, 502, 503, 504] as const;

/** OpenRouter's operation ids, so that generated clients have the same method names. */
const operationIds: Readonly<Record<Dialect, string>> = {
  'chat-completions': 'sendChatCompletionRequest',
  messages: 'createMessages',
  responses: 'createResponses',
};

const description =
  'Reference a preset as `"model": "@preset/slug"`, `"model": "vendor/model@preset/slug"` or `"preset": "slug"`, optionally pinned to a version: `slug@3` or `slug:label`. ' +
  'Fields of the request override those of the preset; `tools` are merged. Without a preset the request is forwarded unchanged. ' +
  'Query parameters are forwarded to the upstream.';

/** For the API reference; `CallServer` validates it. */
const callHeaders = {
  type: 'object',
  properties: {
    'x-presetd-dry-run': {
      type: 'string',
      enum: ['true', 'false'],
      description: '`true`: return the request that would be sent and its upstream, without sending it.',
    },
  },
};

/** The response is the upstream's, so its schema is open. These headers are added by presetd. */
const success = {
  description: 'The response of the upstream, unchanged; for a dry run, the request that would be sent.',
  headers: {
    'x-presetd-preset': {
      type: 'string',
      description: 'The preset version that was applied, such as `support-bot@3`.',
    },
    'x-upstream-request-id': { type: 'string', description: "The upstream's id of the request." },
    'x-presetd-upstream': { type: 'string', description: 'The upstream that responded.' },
    'x-presetd-overhead-ms': {
      type: 'number',
      description: 'Time spent in presetd itself, without waiting for the upstream.',
    },
    'x-presetd-overridden-fields': {
      type: 'string',
      description:
        'Preset fields that the request overrode or removed, by their names in the preset, percent-encoded; `system_prompt` first.',
    },
    'x-presetd-dropped-fields': {
      type: 'string',
      description: 'Fields that the dialect or the upstream does not support, percent-encoded.',
    },
    'x-presetd-fallbacks': {
      type: 'string',
      description: 'Models that failed or were skipped before, each with the reason: `vendor%2Fmodel;429`.',
    },
  },
  content: {
    'application/json': { schema: { type: 'object', additionalProperties: true } },
    'text/event-stream': { schema: { type: 'string' } },
  },
};
