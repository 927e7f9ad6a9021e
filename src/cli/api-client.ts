import { setTimeout as delay } from 'node:timers/promises';
import { parseExact } from '../core/json-text.ts';
import { productVersion } from '../product-version.ts';
import { connectionError, NoResponseError, notPresetdError, responseError } from './api-errors.ts';

/**
 * The HTTP client of all commands that call a server.
 *
 * It holds no state beyond its configuration: a command creates one, sends its requests and exits.
 * Every failure surfaces as a `CommandError` with a message for people, so commands have no error
 * handling of their own. Requests are retried only if they are marked idempotent.
 */

export interface ApiConnection {
  readonly url: string;
  readonly key: string;
  /** The setting that holds the key. Error messages name it, and never the key itself. */
  readonly keySetting: string;
}

type Query = Readonly<Record<string, string | number | undefined>>;

export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Relative to `/api/v1`. */
  readonly path: string;
  /** Parameters whose value is undefined are not sent. */
  readonly query?: Query;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer> | string;
  /** Sending it twice has the same effect as sending it once, so it is safe to retry. */
  readonly isIdempotent?: boolean;
  readonly timeoutMs?: number;
}

export interface ApiResponse<Content> {
  readonly headers: Headers;
  /** The body exactly as received, for `--json`. */
  readonly text: string;
  /** The parsed body. Numbers keep all their digits. */
  readonly content: Content;
}

export interface ApiClient {
  /** Throws a `CommandError` unless the server reports success. */
  send<Content extends object>(request: ApiRequest): Promise<ApiResponse<Content>>;
  /**
   * Streams an NDJSON body. There is no overall timeout, because an export may take any time;
   * Node.js closes a connection that is silent for five minutes.
   */
  open(path: string): Promise<AsyncIterable<Uint8Array>>;
}

/** Longer than any single read or write takes, short enough for a person to wait for. */
const defaultTimeoutMs = 30_000;
const attemptsMax = 4;
/** Upper bound for `Retry-After`, so that a server cannot make a script hang. */
const retryDelayMsMax = 30_000;

/** `sharedQuery` is added to every request and takes precedence over the request's own query. */
export function createApiClient(connection: ApiConnection, sharedQuery: Query = {}): ApiClient {
  const { url, key } = connection;

  function fetchOnce(request: ApiRequest, signal: AbortSignal | null): Promise<Response> {
    const { method = 'GET', path, query, headers, body } = request;
    const target = new URL(`${url}/api/v1${path}`);
    for (const [name, value] of Object.entries({ ...query, ...sharedQuery }))
      if (value !== undefined) target.searchParams.set(name, String(value));
    return fetch(target, {
      method,
      // Following a redirect would turn a POST into a GET.
      redirect: 'manual',
      headers: {
        authorization: `Bearer ${key}`,
        'user-agent': `presetd/${productVersion}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body }),
      signal,
    });
  }

  function rethrow(error: unknown): never {
    throw connectionError(url, error);
  }

  /**
   * A generator, because it keeps a reference to the response: undici cancels a body whose response
   * is garbage-collected before anyone reads it.
   */
  async function* readBody(response: Response): AsyncGenerator<Uint8Array> {
    try {
      if (response.body !== null) yield* response.body;
    } catch (error) {
      rethrow(error);
    }
  }

  /** The timeout covers the whole exchange, including the response body. */
  async function attempt(request: ApiRequest): Promise<{ response: Response; text: string }> {
    const timeoutMs = request.timeoutMs ?? defaultTimeoutMs;
    try {
      const response = await fetchOnce(request, AbortSignal.timeout(timeoutMs));
      return { response, text: await response.text() };
    } catch (error) {
      throw connectionError(url, error, timeoutMs);
    }
  }

  return {
    async send<Content extends object>(request: ApiRequest) {
      const { response, text } = await (request.isIdempotent
        ? withRetries(() => attempt(request))
        : attempt(request));
      if (!response.ok) throw responseError(connection, response, text);
      // Trusted without a schema: the server's own tests cover the shape of its responses.
      const content = parseResponseBody(text) as Content | undefined;
      if (content === undefined) throw notPresetdError(url, response);
      return { headers: response.headers, text, content };
    },
    async open(path) {
      const response = await fetchOnce({ path }, null).catch(rethrow);
      if (!response.ok) throw responseError(connection, response, await response.text().catch(rethrow));
      const type = response.headers.get('content-type') ?? '';
      if (response.body === null || !type.startsWith('application/x-ndjson'))
        throw notPresetdError(url, response);
      return readBody(response);
    },
  };
}

/**
 * Retries while the connection fails or the server is busy, and waits as long as `Retry-After`
 * asks. A 503 with `X-Should-Retry: false`, such as a full disk, is final.
 */
async function withRetries<T extends { response: Response }>(send: () => Promise<T>): Promise<T> {
  let lostResponse: NoResponseError | undefined;
  for (let attempt = 1; ; attempt += 1) {
    const isLast = attempt === attemptsMax;
    let delayMs = 200 * 2 ** attempt;
    try {
      const result = await send();
      const { status, headers } = result.response;
      const isBusy = status === 429 || (status === 503 && headers.get('x-should-retry') !== 'false');
      if (!isBusy || isLast) return result;
      const retryAfterSeconds = Number(headers.get('retry-after') ?? Number.NaN);
      if (retryAfterSeconds >= 0) delayMs = retryAfterSeconds * 1_000;
    } catch (error) {
      // An attempt that may have succeeded on the server matters more than a later refused one.
      if (error instanceof NoResponseError) lostResponse = error;
      if (isLast) throw lostResponse ?? error;
    }
    await delay(Math.min(delayMs, retryDelayMsMax));
  }
}

/** Every JSON response of presetd has at least one of these fields. */
const responseFields = ['data', 'deleted', 'removed_count'];

/** Undefined if the body is not one that presetd sends. */
function parseResponseBody(text: string): object | undefined {
  try {
    const body = parseExact(text);
    if (typeof body !== 'object' || body === null) return undefined;
    return responseFields.some((field) => field in body) ? body : undefined;
  } catch {
    return undefined;
  }
}
