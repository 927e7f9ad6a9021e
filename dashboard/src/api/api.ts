/**
 * The HTTP client of the dashboard: the public API, called with one key.
 *
 * A session creates one client and passes its abort signal, so signing out cancels everything in
 * flight. Keys travel only in the Authorization header, never in a URL or cookie. The playground
 * creates a second client for a pasted key.
 */

import { ApiError, parseApiError } from './api-error.ts';
import { parseExactJson } from './exact-json.ts';

/** Parameters that are undefined or empty are left out of the URL. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** One request to the API. */
export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Relative to `/api/v1`. Build it with `pathOf` if it contains names. */
  readonly path: string;
  readonly query?: Query;
  /** A string is sent unchanged; anything else is serialized as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** A successful response: its JSON body and its headers, such as the ETag. */
export interface ApiResponse<T> {
  readonly content: T;
  readonly headers: Headers;
}

/** The only path from the pages to the server. */
export interface Api {
  /** Reads the whole JSON response. Throws an `ApiError` unless the response is successful. */
  send<T>(request: ApiRequest): Promise<ApiResponse<T>>;
  /**
   * Returns the response as soon as its headers arrive, whatever its status; used for streaming.
   */
  open(request: ApiRequest): Promise<Response>;
}

interface ApiOptions {
  /** Aborted when the session ends: cancels requests in flight and fails every later one. */
  readonly sessionSignal?: AbortSignal;
  /** Called with the server's message when it rejects the key with status 401. */
  readonly onUnauthorized?: (message: string) => void;
}

/** Creates a client for one key. */
export function createApi(key: string, { sessionSignal, onUnauthorized }: ApiOptions = {}): Api {
  async function open({
    method = 'GET',
    path,
    query = {},
    body,
    headers,
    signal: requestSignal,
  }: ApiRequest) {
    const signal = AbortSignal.any([requestSignal, sessionSignal].filter((one) => one !== undefined));
    const response = fetch(`/api/v1${path}${queryString(query)}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      signal,
      // TanStack Query is the only cache. The browser's could return a state that has since
      // changed.
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
    });
    return response.catch((error: unknown) => {
      throw signal.aborted ? error : serverUnreachable();
    });
  }

  return {
    open,
    async send<T>(request: ApiRequest): Promise<ApiResponse<T>> {
      const response = await open(request);
      const text = await response.text().catch((error: unknown) => {
        throw request.signal?.aborted || sessionSignal?.aborted ? error : connectionLost();
      });
      if (response.ok) return { content: parseContent<T>(text), headers: response.headers };
      const error = parseApiError(response.status, text);
      if (error.status === 401) onUnauthorized?.(error.message);
      throw error;
    },
  };
}

/** A proxy may return a page of its own with status 200, so require a JSON object. */
function parseContent<T>(text: string): T {
  try {
    const content = parseExactJson(text);
    if (typeof content === 'object' && content !== null) return content as T;
  } catch {
    // Not JSON: reported below.
  }
  throw new ApiError(
    0,
    'The response did not come from presetd. Check the address and any proxy in front of the server.',
  );
}

/**
 * Lost while reading the body: unlike an unreachable server, this one may have acted on the
 * request.
 */
function connectionLost(): ApiError {
  return new ApiError(
    0,
    'The connection was lost before the response was complete. The request may have succeeded.',
  );
}

/** `fetch` rejects without a reason that could be shown. */
function serverUnreachable(): ApiError {
  return new ApiError(0, 'Cannot reach the server. Check that it is running, then try again.');
}

/** Joins segments into a path and escapes each of them. */
export function pathOf(...parts: readonly (string | number)[]): string {
  return parts.map((part) => `/${encodeURIComponent(part)}`).join('');
}

function queryString(query: Query): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}
