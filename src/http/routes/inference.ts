import type { FastifyInstance, FastifyRequest } from 'fastify';
import { inferenceOperations } from '../../api/inference.ts';
import type { Operation } from '../../api/operation.ts';
import { formOperations, relayedOperations } from '../../api/relayed-calls.ts';
import { storedResponseOperations } from '../../api/stored-responses.ts';
import { PresetdError } from '../../core/errors.ts';
import { accessibleWorkspace } from '../../core/organization/workspace-access.ts';
import type { Dialect } from '../../core/presets/preset.ts';
import {
  type CallTrace,
  createTrace,
  type HeaderList,
  type RelayedRequest,
  type StoredResponseRequest,
} from '../../gateway/call.ts';
import { type Endpoint, endpointProperties } from '../../gateway/upstreams/endpoint.ts';
import { callerOf } from '../authentication.ts';
import { assertCanCallModels, type CallServer, queryOf } from '../serve-call.ts';
import { type Handler, serveOperations } from '../serve-operations.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The gateway's record of the call; null for other requests. */
    trace: CallTrace | null;
    /** How long admission took, and when the body was complete; for the overhead metric. */
    admittedMs: number;
    receivedAt: number;
  }
}

/**
 * Model calls in three dialects, which the gateway completes with a preset and forwards, and calls
 * that it relays. For calls in a dialect, these routes serve what the fast path does not: uncached
 * keys, chunked bodies and everything invalid.
 */
export function inferenceRoutes(scope: FastifyInstance, calls: CallServer): void {
  scope.removeAllContentTypeParsers();
  keepBytes(scope, 'application/json');
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
      'GET /responses': requireUpgrade,
    },
    { validatorCompiler },
  );
  serveOperations(
    scope,
    relayedOperations,
    {
      'POST /completions': relay('completions'),
      'POST /embeddings': relay('embeddings'),
      'POST /rerank': relay('rerank'),
      'POST /moderations': relay('moderations'),
      'POST /images': relay('images'),
      'POST /images/generations': relay('images/generations'),
      'POST /audio/speech': relay('audio/speech'),
      'POST /messages/count_tokens': relay('messages/count_tokens'),
      'POST /responses/input_tokens': relay('responses/input_tokens'),
      'POST /responses/compact': relay('responses/compact'),
    },
    { validatorCompiler },
  );
  serveOperations(
    scope,
    storedResponseOperations,
    {
      'GET /responses/:response_id': relayStored('GET', ''),
      'DELETE /responses/:response_id': relayStored('DELETE', ''),
      'POST /responses/:response_id/cancel': relayStored('POST', '/cancel'),
      'GET /responses/:response_id/input_items': relayStored('GET', '/input_items'),
    },
    { validatorCompiler },
  );
  scope.register(async (inner) => {
    keepBytes(inner, 'multipart/form-data');
    serveOperations(
      inner,
      formOperations,
      {
        'POST /images/edits': relay('images/edits'),
        'POST /images/variations': relay('images/variations'),
        'POST /audio/transcriptions': relay('audio/transcriptions'),
        'POST /audio/translations': relay('audio/translations'),
      },
      { validatorCompiler },
    );
  });

  function relay(endpoint: Endpoint): Handler<Operation> {
    const target = { method: 'POST', path: `/${endpoint}`, endpoint } as const;
    return call(endpointProperties[endpoint].dialect, ({ headers }) => ({
      ...target,
      contentType: headers['content-type'] ?? 'application/json',
    }));
  }

  function relayStored(
    method: RelayedRequest['method'],
    action: StoredResponseRequest['action'],
  ): Handler<Operation> {
    return call('responses', ({ params }) => {
      const { response_id: signedId } = params as { readonly response_id: string };
      return { method, path: '', storedResponse: { signedId, action } };
    });
  }

  function call(
    dialect: Dialect,
    relayedOf?: (request: FastifyRequest) => RelayedRequest,
  ): Handler<Operation> {
    return (request, reply) => {
      const { headers, admittedMs, receivedAt } = request;
      const trace = createTrace();
      request.trace = trace;
      // The gateway writes to the raw response itself, often as a stream.
      reply.hijack();
      calls.serve({
        dialect,
        ...(relayedOf !== undefined && { relayed: relayedOf(request) }),
        caller: callerOf(request),
        requestId: request.id,
        headers,
        query: queryOf(request.raw.url ?? ''),
        // Without Content-Length and Transfer-Encoding the parser never runs.
        bytes: (request.body as Buffer | undefined) ?? Buffer.alloc(0),
        response: reply.raw,
        commonHeaders: () => Object.entries(reply.getHeaders()).flat() as HeaderList,
        admittedMs,
        // Without a body, there is nothing to wait for.
        receivedAt: receivedAt === 0 ? performance.now() : receivedAt,
        trace,
      });
    };
  }
}

/** Requests that ask for a WebSocket do not get here: see `accept-responses-socket.ts`. */
function requireUpgrade(request: FastifyRequest): never {
  const caller = callerOf(request);
  assertCanCallModels(caller);
  const workspaceId = new URLSearchParams(queryOf(request.raw.url ?? '')).get('workspace_id');
  accessibleWorkspace(caller, caller.kind === 'session' ? (workspaceId ?? undefined) : undefined, 'call');
  throw new PresetdError(
    'upgrade_required',
    'GET /api/v1/responses opens a WebSocket. Connect with a WebSocket client, or send the request to POST /api/v1/responses.',
  );
}

/** `CallServer` parses the bytes, and an unchanged body is forwarded as it is. */
function keepBytes(scope: FastifyInstance, contentType: string): void {
  scope.addContentTypeParser(contentType, { parseAs: 'buffer' }, (request, bytes, done) => {
    request.receivedAt = performance.now();
    done(null, bytes);
  });
}

/** Schemas are for the API reference only: upstreams may support fields newer than this server. */
const validatorCompiler = () => () => true;
