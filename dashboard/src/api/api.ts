/**
 * The HTTP client of the dashboard: the public API, called with the session cookie or with a key.
 *
 * A session creates one client and passes its abort signal, so signing out cancels everything in
 * flight. Keys travel only in the Authorization header, never in a URL or cookie, and a request
 * with a key sends no cookie. `withKey` makes a second client, for a key that the user enters on a
 * page.
 */

import { type ApiResponse, type Client, createClient, type HttpRequest } from '../../../src/api/client.ts';
import { ApiError, parseApiError } from './api-error.ts';
import { parseExactJson } from './exact-json.ts';

/** The only path from the pages to the server, except for the API reference. */
export interface Api extends Client<CallOptions> {
  /**
   * Returns the response as soon as its headers arrive, whatever its status; used for streaming.
   */
  open(request: HttpRequest, options?: CallOptions): Promise<Response>;
  /** A client with another key, which ends with the same session. */
  withKey(key: string): Api;
  /** Aborted when the session ends. For work that continues without a page. */
  readonly ended: AbortSignal;
}

interface CallOptions {
  /** Cancels the request. */
  readonly signal?: AbortSignal | undefined;
}

interface ApiOptions {
  /** Aborted when the session ends: cancels requests in flight and fails every later one. */
  readonly sessionSignal?: AbortSignal;
  /** Called with the server's message when it rejects the cookie or key with status 401. */
  readonly onUnauthorized?: (message: string) => void;
}

/**
 * Creates a client for one key, or without one for the cookie of this browser. Its calls throw an
 * `ApiError` unless the response is successful.
 */
export function createApi(
  key: string | undefined,
  { sessionSignal: ended = new AbortController().signal, onUnauthorized }: ApiOptions = {},
): Api {
  async function open({ path, headers, ...request }: HttpRequest, options: CallOptions = {}) {
    const signal = AbortSignal.any(options.signal ? [options.signal, ended] : [ended]);
    const response = fetch(`/api/v1${path}`, {
      ...request,
      headers: { ...(key !== undefined && { authorization: `Bearer ${key}` }), ...headers },
      signal,
      // TanStack Query is the only cache. The browser's could return a state that has since
      // changed.
      cache: 'no-store',
      credentials: key === undefined ? 'same-origin' : 'omit',
      redirect: 'error',
    });
    return response.catch((error: unknown) => {
      throw signal.aborted ? error : serverUnreachable();
    });
  }

  async function send(request: HttpRequest, options?: CallOptions): Promise<ApiResponse<unknown>> {
    const response = await open(request, options);
    const text = await response.text().catch((error: unknown) => {
      throw options?.signal?.aborted || ended.aborted ? error : connectionLost();
    });
    if (response.ok) return { content: parseContent(text), headers: response.headers, text };
    const error = parseApiError(response.status, text);
    if (error.status === 401) onUnauthorized?.(error.message);
    throw error;
  }

  // A rejected key says nothing about the session, so there is no `onUnauthorized`.
  const withKey = (other: string) => createApi(other, { sessionSignal: ended });
  return { ...createClient(send), open, withKey, ended };
}

/** A proxy may return a page of its own with status 200, so require a JSON object. */
function parseContent(text: string): object {
  try {
    const content = parseExactJson(text);
    if (typeof content === 'object' && content !== null) return content;
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

/** Leaves out the parameters for which a form has no value. */
export function withoutEmpty<Query extends object>(query: Query): WithoutEmpty<Query> {
  const given = Object.entries(query).filter(([, value]) => value !== '');
  return Object.fromEntries(given) as WithoutEmpty<Query>;
}

type WithoutEmpty<Query> = { readonly [Name in keyof Query]?: Exclude<Query[Name], ''> };
