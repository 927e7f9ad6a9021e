import { Type } from 'typebox';
import type { ErrorStatus } from './errors.ts';

/**
 * The building blocks of the API contract.
 *
 * Each module of this folder describes one resource: its schemas and its operations, keyed by route
 * such as `GET /workspaces/:id`. Everything else follows from them: the types that the server, the
 * CLI and the dashboard share, the validators, the registered routes and the OpenAPI document. To
 * add an operation, add an entry to its resource's module and a handler in `http/routes/`; the
 * compiler rejects an operation without a handler.
 */
export interface Operation {
  /** The `operationId` of the OpenAPI document, which generated clients use as a method name. */
  readonly id: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  readonly params?: Type.TObject;
  readonly query?: Type.TObject;
  readonly headers?: Type.TObject;
  /** Null is part of the schema of a body that may be omitted. */
  readonly body?: Type.TSchema;
  /** How large a body may be; by default as large as the server's own limit. */
  readonly bodySize?: 'small' | 'list';
  readonly response: Success;
  /** Statuses beyond those that follow from the method and the headers; see `errorStatuses`. */
  readonly errors?: readonly ErrorStatus[];
}

export type Tag = 'Presets' | 'Keys' | 'Workspaces' | 'Organization' | 'Inference' | 'Operation';

export interface Success {
  /** 200 unless given. */
  readonly status?: 200 | 201;
  readonly description: string;
  readonly headers?: Readonly<Record<string, object>>;
  readonly body: Type.TSchema;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A method and a path below `/api/v1`, with `:name` for parameters. */
export type RoutePattern = `${Method} /${string}`;

export type OperationSet = Readonly<Record<RoutePattern, Operation>>;

/** Checks the entries and keeps their exact types. */
export function operations<const Set extends OperationSet>(set: Set): Set {
  return set;
}

export function splitRoute(route: string): { readonly method: Method; readonly path: string } {
  const [method = '', path = ''] = route.split(' ');
  return { method: method as Method, path };
}

/**
 * The errors that every operation behind a key may return: any request can be malformed, lack
 * access, be rate limited or meet an unavailable database. A write can also have an unacceptable
 * body, and a conditional one can fail its precondition.
 */
export function errorStatuses(route: string, { headers, errors = [] }: Operation): readonly ErrorStatus[] {
  const isRead = splitRoute(route).method === 'GET';
  const isConditional = headers !== undefined && 'if-match' in headers.properties;
  const statuses: ErrorStatus[] = [400, 401, 403, 404, 429, 500, 503, ...errors];
  if (!isRead) statuses.push(413, 415);
  if (isConditional) statuses.push(412);
  return statuses.toSorted((a, b) => a - b);
}

const schemasByName = new Map<string, Type.TSchema>();

/** Gives a schema a name of its own in the OpenAPI document. Refer to it by `ref`. */
export function named<Schema extends Type.TSchema>(name: string, schema: Schema): Named<Schema> {
  schemasByName.set(name, schema);
  return { name, schema };
}

export interface Named<Schema extends Type.TSchema> {
  readonly name: string;
  readonly schema: Schema;
}

export function ref<Schema extends Type.TSchema>({ name }: Named<Schema>) {
  return Type.Unsafe<Type.Static<Schema>>({ $ref: `${name}#` });
}

/** Every named schema of the modules that are loaded; import `contract.ts` to load all. */
export function namedSchemas(): Readonly<Record<string, Type.TSchema>> {
  return Object.fromEntries(schemasByName);
}

type StaticOr<Schema, Otherwise> = Schema extends Type.TSchema ? Type.Static<Schema> : Otherwise;

/** The wire shapes of one operation. */
export interface Wire<Op extends Operation> {
  readonly params: StaticOr<Op['params'], Record<never, never>>;
  readonly query: StaticOr<Op['query'], Record<never, never>>;
  readonly body: StaticOr<Op['body'], undefined>;
  readonly response: Type.Static<Op['response']['body']>;
}
