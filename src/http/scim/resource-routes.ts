import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Page } from '../../core/page.ts';
import { type Equality, parseFilter } from '../../scim/filter.ts';
import { findMatching, type ListQuery, listResponse, pageOf } from '../../scim/list.ts';
import { applyPatch } from '../../scim/patch.ts';
import { type Resource, readResource } from '../../scim/read-resource.ts';
import type { Schema } from '../../scim/schema.ts';
import { ScimError } from '../../scim/scim-error.ts';
import { type AttributeSelection, isSelected, selectAttributes } from '../../scim/select-attributes.ts';

/** Whether an attribute is part of the response. */
type IsWanted = (attribute: string) => boolean;

/** A kind of resource, its use cases, and how it looks to clients. */
interface ResourceKind<Item, Input> {
  readonly schema: Schema;
  readonly bodyLimit: { readonly bodyLimit: number };
  baseOf(request: FastifyRequest): string;
  toResource(item: Item, base: string): Resource;
  fromResource(resource: Resource): Input;
  /** Undefined if no index answers the filter. */
  find(equality: Equality | undefined, isWanted: IsWanted): Promise<readonly Item[] | undefined>;
  list(
    page: Page,
    isWanted: IsWanted,
  ): Promise<{ readonly items: readonly Item[]; readonly totalCount: number }>;
  get(id: string, isWanted: IsWanted): Promise<Item>;
  create(input: Input): Promise<Item>;
  change(id: string, describe: (current: Item) => Input): Promise<Item>;
  /** Applies a patch without reading the whole resource; false if this one depends on it. */
  patchUnread?(id: string, body: unknown): Promise<boolean>;
  remove(id: string): Promise<void>;
}

interface Route {
  readonly Params: { readonly id: string };
  readonly Querystring: AttributeSelection & ListQuery & { readonly filter?: string };
}

export function resourceRoutes<Item, Input>(
  scope: FastifyInstance,
  path: string,
  kind: ResourceKind<Item, Input>,
): void {
  const { schema } = kind;

  const send = (
    request: FastifyRequest<Route>,
    reply: FastifyReply,
    item: Item,
    selection: AttributeSelection,
    status = 200,
  ) => {
    const resource = kind.toResource(item, kind.baseOf(request));
    const { location } = resource.meta as { readonly location: string };
    const selected = selectAttributes(schema, resource, selection);
    return sendScim(reply.code(status).header('location', location), selected);
  };

  scope.get<Route>(path, async (request, reply) => {
    const page = pageOf({
      startIndex: single('startIndex', request.query.startIndex),
      count: single('count', request.query.count),
    });
    const base = kind.baseOf(request);
    const filter = single('filter', request.query.filter);
    const selection = selectionOf(request);
    const { items, totalCount } = await query(kind, filter, page, base, (name) =>
      isSelected(schema, name, selection),
    );
    const resources = items.map((item) => selectAttributes(schema, kind.toResource(item, base), selection));
    return sendScim(reply, listResponse(resources, totalCount, page));
  });
  scope.get<Route>(`${path}/:id`, async (request, reply) => {
    const selection = selectionOf(request);
    const item = await kind.get(request.params.id, (name) => isSelected(schema, name, selection));
    return send(request, reply, item, selection);
  });
  scope.post<Route>(path, kind.bodyLimit, async (request, reply) => {
    // Every write reads the query first, so that one that is rejected changes nothing.
    const selection = selectionOf(request);
    const input = kind.fromResource(readResource(schema, request.body));
    return send(request, reply, await kind.create(input), selection, 201);
  });
  scope.put<Route>(`${path}/:id`, kind.bodyLimit, async (request, reply) => {
    const selection = selectionOf(request);
    const input = kind.fromResource(readResource(schema, request.body));
    return send(request, reply, await kind.change(request.params.id, () => input), selection);
  });
  scope.patch<Route>(`${path}/:id`, kind.bodyLimit, async (request, reply) => {
    const { id } = request.params;
    const selection = selectionOf(request);
    if (await kind.patchUnread?.(id, request.body)) {
      // RFC 7644, section 3.5.2: the resource is required only if the client selects attributes.
      if (selection.attributes === undefined && selection.excludedAttributes === undefined)
        return reply.code(204).send();
      const item = await kind.get(id, (name) => isSelected(schema, name, selection));
      return send(request, reply, item, selection);
    }
    const base = kind.baseOf(request);
    const changed = await kind.change(id, (current) =>
      kind.fromResource(applyPatch(schema, kind.toResource(current, base), request.body)),
    );
    return send(request, reply, changed, selection);
  });
  scope.delete<Route>(`${path}/:id`, async (request, reply) => {
    await kind.remove(request.params.id);
    return reply.code(204).send();
  });
}

export function sendScim(reply: FastifyReply, body: object): FastifyReply {
  return reply.type('application/scim+json; charset=utf-8').send(JSON.stringify(body));
}

/** A filter is answered by an index if it can be, and otherwise by reading everything. */
async function query<Item, Input>(
  kind: ResourceKind<Item, Input>,
  filter: string | undefined,
  page: Page,
  base: string,
  isWanted: IsWanted,
): Promise<{ readonly items: readonly Item[]; readonly totalCount: number }> {
  if (filter === undefined || filter === '') return kind.list(page, isWanted);
  const { matches, equality } = parseFilter(kind.schema, filter);
  // A filter can be about attributes that the response leaves out.
  const everything: IsWanted = () => true;
  const found =
    (await kind.find(equality, isWanted)) ??
    (await findMatching(
      async (each) => (await kind.list(each, everything)).items,
      (item) => matches(kind.toResource(item, base)),
    ));
  return { items: found.slice(page.offset, page.offset + page.limit), totalCount: found.length };
}

function selectionOf({ query }: FastifyRequest<Route>): AttributeSelection {
  return {
    attributes: single('attributes', query.attributes),
    excludedAttributes: single('excludedAttributes', query.excludedAttributes),
  };
}

/** A parameter that is sent twice arrives as a list. */
function single(name: string, value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  throw new ScimError('invalidValue', `The parameter ${name} is sent more than once.`);
}
