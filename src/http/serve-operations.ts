import type { FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify';
import { type Operation, type OperationSet, splitRoute, type Wire } from '../api/operation.ts';
import type { Dialect } from '../core/presets/preset.ts';
import { listBodyLimit, smallBodyLimit } from './body/request-body.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set on model calls only. Errors have the format of this dialect. */
    dialect?: Dialect;
    /** The media types of the body, unless it is JSON. */
    bodyTypes?: readonly string[];
  }
}

type RequestOf<Op extends Operation> = FastifyRequest<{
  Params: Wire<Op>['params'];
  Querystring: Wire<Op>['query'];
  Body: Wire<Op>['body'];
}>;

export type Handler<Op extends Operation> = (
  request: RequestOf<Op>,
  reply: FastifyReply,
) => Sent<Op> | Promise<Sent<Op>>;

/** The response, its text if it is already serialized, or the reply once it is sent. */
type Sent<Op extends Operation> = Wire<Op>['response'] | string | FastifyReply;

type Handlers<Set extends OperationSet> = {
  readonly [Route in keyof Set & string]: Handler<Extract<Set[Route], Operation>>;
};

/**
 * Registers a handler for each operation; a missing or mistyped handler does not compile. `options`
 * apply to all of them.
 */
export function serveOperations<Set extends OperationSet>(
  scope: FastifyInstance,
  set: Set,
  handlers: Handlers<Set>,
  options: RouteShorthandOptions = {},
): void {
  for (const [route, operation] of Object.entries(set)) {
    const { method, path } = splitRoute(route);
    const handler = handlers[route as keyof Set & string] as Handler<Operation>;
    scope.route({
      method,
      url: path,
      schema: schemaOf(operation),
      ...bodyLimitOf(scope, operation),
      config: configOf(operation),
      ...options,
      handler: (request, reply) => {
        if (operation.response.status !== undefined) reply.code(operation.response.status);
        return handler(request as RequestOf<Operation>, reply);
      },
    });
  }
}

function bodyLimitOf(scope: FastifyInstance, { bodySize }: Operation) {
  if (bodySize === undefined) return {};
  return bodySize === 'small' ? smallBodyLimit(scope) : listBodyLimit(scope);
}

/** The schemas for Fastify. Params and headers are checked elsewhere, with better messages. */
function schemaOf({ query, body }: Operation) {
  return { ...(query && { querystring: query }), ...(body && { body }) };
}

function configOf({ dialect, bodyTypes }: Operation) {
  return { ...(dialect && { dialect }), ...(bodyTypes && { bodyTypes }) };
}
