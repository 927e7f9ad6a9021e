import type { Dialect } from '../core/presets/preset.ts';
import type { Type } from '../core/type.ts';
import type { Access, AccessFor } from './access.ts';
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
  /** Required of every request. */
  readonly access: Access;
  readonly accessFor?: AccessFor;
  readonly summary: string;
  readonly description?: string;
  readonly params?: Type.TObject;
  readonly query?: Type.TObject;
  readonly headers?: Type.TObject;
  /** Null is part of the schema of a body that may be omitted. */
  readonly body?: Type.TSchema;
  /** How large a body may be; by default as large as the server's own limit. */
  readonly bodySize?: 'small' | 'list';
  /** The media types of the body, unless it is JSON. */
  readonly bodyTypes?: readonly string[];
  readonly response: Success;
  /** Statuses beyond those that follow from the rest; see `errorStatuses`. */
  readonly errors?: readonly ErrorStatus[];
  /** For model calls, whose errors have the format of their dialect. */
  readonly dialect?: Dialect;
}

export type Tag =
  | 'Presets'
  | 'Keys'
  | 'Workspaces'
  | 'Organization'
  | 'Usage'
  | 'Account'
  | 'Inference'
  | 'Operation';

export interface Success {
  /** 200 unless given. 101 is a protocol upgrade. */
  readonly status?: 101 | 200 | 201;
  readonly description: string;
  readonly headers?: Readonly<Record<string, object>>;
  /** JSON. */
  readonly body?: Type.TSchema;
  /** The schemas of other formats, by media type. */
  readonly content?: Readonly<Record<string, object>>;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A method and a path below `/api/v1`, with `:name` for parameters. */
type RoutePattern = `${Method} /${string}`;

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
 * The errors of an operation. Any request with a key can lack access, be rate limited or meet an
 * unavailable database; one with input can also be malformed or name something unknown. A write can
 * have an unacceptable body, and a conditional write can fail its precondition.
 */
export function errorStatuses(route: string, operation: Operation): readonly ErrorStatus[] {
  const { access, params, query, body, errors = [] } = operation;
  if (access === 'public') return errors;
  const statuses: ErrorStatus[] = [401, 403, 429, 500, 503, ...errors];
  if (params ?? query ?? body) statuses.push(400, 404);
  if (splitRoute(route).method !== 'GET') statuses.push(413, 415);
  if (hasHeader(operation, 'if-match')) statuses.push(412);
  return statuses.toSorted((a, b) => a - b);
}

export function hasHeader({ headers }: Operation, name: string): boolean {
  return headers !== undefined && name in headers.properties;
}

/** A body whose schema allows null may be omitted, which is how some clients send an empty one. */
export function isOptionalBody({ type }: { readonly type?: unknown }): boolean {
  return Array.isArray(type) && type.includes('null');
}

type StaticOr<Schema, Otherwise> = Schema extends Type.TSchema ? Type.Static<Schema> : Otherwise;

/** The wire shapes of one operation. */
export interface Wire<Op extends Operation> {
  readonly params: StaticOr<Op['params'], Record<never, never>>;
  readonly query: StaticOr<Op['query'], Record<never, never>>;
  readonly body: StaticOr<Op['body'], undefined>;
  readonly response: StaticOr<Op['response']['body'], unknown>;
}
