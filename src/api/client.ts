import type { contract } from './contract.ts';
import type { Wire } from './operation.ts';

/**
 * The typed client of the API, for the CLI and the dashboard.
 *
 * A call names its operation by route, such as `GET /presets/:slug`. The compiler checks the input
 * and knows the response. At run time the route's text is enough, so a browser bundle contains no
 * schemas. The transport decides how requests are sent, retried and reported.
 */
export interface Client<Options> {
  call<R extends Route>(route: R, ...args: Arguments<R, Options>): Promise<ApiResponse<ResponseOf<R>>>;
}

/** A successful response; the transport throws for any other. */
export interface ApiResponse<Content> {
  readonly headers: Headers;
  /** The body exactly as received. */
  readonly text: string;
  /** The parsed body. Numbers keep all their digits. */
  readonly content: Content;
}

/** A request as the transport sends it. */
export interface HttpRequest {
  readonly method: string;
  /** Relative to `/api/v1`, with the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

/** A body that is sent as it is, because parsing it would round numbers or lose its format. */
export class JsonText {
  readonly text: string | Uint8Array<ArrayBuffer>;

  constructor(text: string | Uint8Array<ArrayBuffer>) {
    this.text = text;
  }
}

type Contract = typeof contract;
export type Route = keyof Contract;
export type ResponseOf<R extends Route> = Wire<Contract[R]>['response'];

/** The input of a call. Undefined query parameters are not sent. */
export type Input<R extends Route> = ParamsInput<Wire<Contract[R]>['params']> &
  BodyInput<Wire<Contract[R]>['body']> & {
    readonly query?: OrUndefined<Wire<Contract[R]>['query']>;
    readonly headers?: Readonly<Record<string, string>>;
  };

type ParamsInput<Params> = keyof Params extends never
  ? { readonly params?: undefined }
  : { readonly params: { readonly [Name in keyof Params]: string | number } };

type BodyInput<Body> = undefined extends Body
  ? { readonly body?: Body | JsonText }
  : { readonly body: Body | JsonText };

type OrUndefined<Fields> = { readonly [Name in keyof Fields]?: Fields[Name] | undefined };

/** The input may be omitted if nothing in it is required. */
type Arguments<R extends Route, Options> =
  Record<never, never> extends Input<R>
    ? [input?: Input<R>, options?: Options]
    : [input: Input<R>, options?: Options];

type Transport<Options> = (
  request: HttpRequest,
  options: Options | undefined,
) => Promise<ApiResponse<unknown>>;

export function createClient<Options>(send: Transport<Options>): Client<Options> {
  return {
    async call<R extends Route>(route: R, ...[input, options]: Arguments<R, Options>) {
      // Trusted without a schema: the server's own tests cover the shape of its responses.
      return (await send(httpRequestOf(route, input), options)) as ApiResponse<ResponseOf<R>>;
    },
  };
}

/** For responses that are streamed instead of parsed. */
export function httpRequestOf<R extends Route>(route: R, input?: Input<R>): HttpRequest {
  const { params = {}, query = {}, headers = {}, body } = (input ?? {}) as AnyInput;
  const [method = '', pattern = ''] = route.split(' ');
  const path = pattern.replace(/:(\w+)/g, (_, name: string) => segmentOf(name, params[name]));
  return {
    method,
    path: path + queryString(query),
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: body instanceof JsonText ? body.text : JSON.stringify(body) }),
  };
}

/** Without a value, or as a step in the path, a parameter would address another resource. */
function segmentOf(name: string, value: string | number | undefined): string {
  const text = String(value ?? '');
  if (/^\.{0,2}$/.test(text)) throw new Error(`The parameter ${name} must not be "${text}".`);
  return encodeURIComponent(text);
}

interface AnyInput {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

function queryString(query: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}
