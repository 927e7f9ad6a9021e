import type { FastifyInstance } from 'fastify';
import { inferenceOperations } from '../../api/inference.ts';
import type { Operation } from '../../api/operation.ts';
import type { Dialect } from '../../core/presets/preset.ts';
import { type CallTrace, createTrace, type HeaderList } from '../../gateway/call.ts';
import { callerOf } from '../authentication.ts';
import { type CallServer, queryOf } from '../serve-call.ts';
import { type Handler, serveOperations } from '../serve-operations.ts';

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
  serveOperations(
    scope,
    inferenceOperations,
    {
      'POST /chat/completions': call('chat-completions'),
      'POST /messages': call('messages'),
      'POST /responses': call('responses'),
    },
    { validatorCompiler },
  );

  function call(dialect: Dialect): Handler<Operation> {
    return (request, reply) => {
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
    };
  }
}

/** Schemas are for the API reference only: the upstream may support fields newer than this server. */
const validatorCompiler = () => () => true;
