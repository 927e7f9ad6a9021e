import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { errorResponses } from '../api/errors.ts';
import { errorStatuses, type Operation, type OperationSet, splitRoute, type Wire } from '../api/operation.ts';
import { listBodyLimit, smallBodyLimit } from './body/request-body.ts';

export type RequestOf<Op extends Operation> = FastifyRequest<{
  Params: Wire<Op>['params'];
  Querystring: Wire<Op>['query'];
  Body: Wire<Op>['body'];
}>;

type Handler<Op extends Operation> = (
  request: RequestOf<Op>,
  reply: FastifyReply,
) => Sent<Op> | Promise<Sent<Op>>;

/** The response, its text if it is already serialized, or the reply once it is sent. */
type Sent<Op extends Operation> = Wire<Op>['response'] | string | FastifyReply;

/** Registers a handler for each operation; a missing or mistyped handler does not compile. */
export function serveOperations<Set extends OperationSet>(
  scope: FastifyInstance,
  set: Set,
  handlers: { readonly [Route in keyof Set & string]: Handler<Extract<Set[Route], Operation>> },
): void {
  for (const [route, operation] of Object.entries(set)) {
    const { method, path } = splitRoute(route);
    const handler = handlers[route as keyof Set & string] as Handler<Operation>;
    scope.route({
      method,
      url: path,
      schema: schemaOf(route, operation),
      ...bodyLimitOf(scope, operation),
      handler: (request, reply) => {
        reply.code(operation.response.status ?? 200);
        return handler(request as RequestOf<Operation>, reply);
      },
    });
  }
}

function bodyLimitOf(scope: FastifyInstance, { bodySize }: Operation) {
  if (bodySize === undefined) return {};
  return bodySize === 'small' ? smallBodyLimit(scope) : listBodyLimit(scope);
}

/** What Fastify validates by, and what the OpenAPI document is made of. */
function schemaOf(route: string, operation: Operation) {
  const { id, tag, summary, description, params, query, headers, body, response } = operation;
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    ...(params && { params }),
    ...(query && { querystring: query }),
    ...(headers && { headers }),
    ...(body && { body }),
    response: {
      [response.status ?? 200]: {
        description: response.description,
        ...(response.headers && { headers: response.headers }),
        ...response.body,
      },
      ...errorResponses(...errorStatuses(route, operation)),
    },
  };
}
