import type { FastifyInstance } from 'fastify';
import { type Dialect, dialects } from '../../core/preset.ts';
import { dialectOf } from '../../dialects/dialects.ts';
import { type CallTrace, createTrace } from '../../gateway/call.ts';
import type { HeaderList } from '../../gateway/header-list.ts';
import { callerOf } from '../authentication.ts';
import { callSchemaNames } from '../call-request.ts';
import { errorResponsesOf } from '../error-schema.ts';
import { type CallServer, queryOf } from '../serve-call.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** In whose words errors are told. */
    dialect?: Dialect;
  }
  interface FastifyRequest {
    /** What became of it at the gateway; null for other requests. */
    trace: CallTrace | null;
    /** How long it took to let it in, and when its body was there. */
    admittedMs: number;
    receivedAt: number;
  }
}

/** What makes presets useful: requests in three dialects, completed by a preset and passed on to an upstream. */
export function inferenceRoutes(scope: FastifyInstance, calls: CallServer): void {
  scope.removeAllContentTypeParsers();
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
      summary: `Send a ${dialect} request to an upstream, with a preset applied`,
      description,
      headers: callHeaders,
      body: { $ref: `${callSchemaNames[dialect]}#` },
      response: {
        200: answered,
        ...errorResponsesOf(dialect === 'messages' ? 'MessagesError' : 'Error', refusals),
      },
    };
    // Whether it makes sense is for the upstream to say, which may know fields that are newer than this server.
    const validatorCompiler = () => () => true;
    scope.post(path, { schema, validatorCompiler, config: { dialect } }, (request, reply) => {
      const { headers, admittedMs, receivedAt } = request;
      const trace = createTrace();
      request.trace = trace;
      reply.hijack();
      calls.serve({
        dialect,
        caller: callerOf(request),
        requestId: request.id,
        headers,
        query: queryOf(request.raw.url ?? ''),
        // Where nothing is said of a body, there is none, and nobody has read it.
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

const refusals = [400, 401, 403, 404, 413, 415, 424, 429, 500, 502, 503, 504] as const;

const operationIds: Readonly<Record<Dialect, string>> = {
  'chat-completions': 'sendChatCompletionRequest',
  messages: 'createMessages',
  responses: 'createResponses',
};

const description =
  'Name a preset by `"model": "@preset/slug"`, `"model": "vendor/model@preset/slug"` or `"preset": "slug"`, pinned by `slug@3` or `slug:label`. ' +
  'What the request says wins over what the preset says; `tools` are put together. Without a preset the request is passed on as it is. ' +
  'Query parameters are passed on to the upstream.';

const callHeaders = {
  type: 'object',
  properties: {
    'x-presetd-dry-run': {
      type: 'string',
      enum: ['true', 'false'],
      description: '`true`: answer what would be sent, and where to, without sending it.',
    },
  },
};

const answered = {
  description: "The upstream's answer, as it is; or what would be sent to it.",
  headers: {
    'x-presetd-preset': {
      type: 'string',
      description: 'The version that was applied, such as `support-bot@3`.',
    },
    'x-upstream-request-id': { type: 'string', description: "The upstream's own id of the request." },
    'x-presetd-upstream': { type: 'string', description: 'Which upstream has answered.' },
    'x-presetd-overhead-ms': { type: 'number', description: 'What presetd itself took.' },
    'x-presetd-overridden-fields': {
      type: 'string',
      description:
        'Fields of the preset that the request replaced or removed, by their names in the preset, percent-encoded; `system_prompt` first.',
    },
    'x-presetd-dropped-fields': {
      type: 'string',
      description: 'Fields that the dialect or the upstream has no place for, percent-encoded.',
    },
    'x-presetd-fallbacks': {
      type: 'string',
      description:
        'Models that were tried before, or left alone, each with the reason: `vendor%2Fmodel;429`.',
    },
  },
  content: {
    'application/json': { schema: { type: 'object', additionalProperties: true } },
    'text/event-stream': { schema: { type: 'string' } },
  },
};
