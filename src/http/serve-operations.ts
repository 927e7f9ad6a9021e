import type { FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify';
import { errorResponses } from '../api/errors.ts';
import {
  type Access,
  errorStatuses,
  hasHeader,
  type Operation,
  type OperationSet,
  splitRoute,
  type Wire,
} from '../api/operation.ts';
import { dialectOf } from '../dialects/dialects.ts';
import { listBodyLimit, smallBodyLimit } from './body/request-body.ts';

export type RequestOf<Op extends Operation> = FastifyRequest<{
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

export type Handlers<Set extends OperationSet> = {
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
      schema: schemaOf(route, operation),
      ...bodyLimitOf(scope, operation),
      ...(operation.dialect && { config: { dialect: operation.dialect } }),
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

/** Fastify validates requests by this schema, and the OpenAPI document is generated from it. */
function schemaOf(route: string, operation: Operation) {
  const { id, tag, summary, params, query, headers, body, bodyTypes } = operation;
  const { access = 'key' } = operation;
  const errorSchema =
    operation.dialect === undefined ? 'Error' : dialectOf[operation.dialect].errors.schemaName;
  const description = [operation.description, accessSentences[access]].filter(Boolean).join(' ');
  const isCacheable = splitRoute(route).method === 'GET' && hasHeader(operation, 'if-none-match');
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description !== '' && { description }),
    ...(access === 'public' && { security: [] }),
    ...(params && { params }),
    ...(query && { querystring: query }),
    ...(headers && { headers }),
    ...(bodyTypes !== undefined && { consumes: [...bodyTypes] }),
    ...(body && { body }),
    response: {
      [operation.response.status ?? 200]: successOf(operation),
      ...(isCacheable && { 304: { description: 'Your cached copy is current.', type: 'null' } }),
      ...errorResponses(errorSchema, errorStatuses(route, operation)),
    },
  };
}

function successOf({ response: { description, headers, body, content } }: Operation) {
  return {
    description,
    ...(headers && { headers }),
    ...body,
    ...(content && {
      content: Object.fromEntries(Object.entries(content).map(([type, schema]) => [type, { schema }])),
    }),
  };
}

/** Appended to the description of operations that not every key may call. */
const accessSentences: Readonly<Record<Access, string>> = {
  public: '',
  key: '',
  session: 'Requires a session.',
  management: 'Requires a management key or a session.',
  admin: 'Requires a management key or a session of an org:admin.',
};
