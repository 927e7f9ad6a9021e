import { ApiError, errorOf } from './api-error.ts';
import { parseExactJson } from './exact-json.ts';

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Below `/api/v1`, made by `pathOf` where it holds names. */
  readonly path: string;
  readonly query?: Query;
  /** Text goes out as it is; anything else as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface ApiAnswer<T> {
  readonly content: T;
  readonly headers: Headers;
}

/** The public HTTP API with one key: the only way in which the pages reach the server. */
export interface Api {
  /** Throws an `ApiError` for every answer that is not a success. */
  send<T>(request: ApiRequest): Promise<ApiAnswer<T>>;
  /** The answer as it begins to come, whatever its status. */
  open(request: ApiRequest): Promise<Response>;
}

interface ApiOptions {
  /** Once it is aborted, nothing more is sent with the key, and what is under way is broken off. */
  readonly end?: AbortSignal;
  readonly onRefusedKey?: (message: string) => void;
}

export function createApi(key: string, { end, onRefusedKey }: ApiOptions = {}): Api {
  async function open({ method = 'GET', path, query = {}, body, headers, signal: given }: ApiRequest) {
    const signal = AbortSignal.any([given, end].filter((one) => one !== undefined));
    const answer = fetch(`/api/v1${path}${queryText(query)}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      signal,
      // What the server says now counts; the pages remember what they need to.
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
    });
    return answer.catch((error: unknown) => {
      throw signal.aborted ? error : unreachable();
    });
  }

  return {
    open,
    async send<T>(request: ApiRequest): Promise<ApiAnswer<T>> {
      const response = await open(request);
      const text = await response.text().catch((error: unknown) => {
        throw request.signal?.aborted || end?.aborted ? error : brokenOff();
      });
      if (response.ok) return { content: contentOf<T>(text), headers: response.headers };
      const error = errorOf(response.status, text);
      if (error.status === 401) onRefusedKey?.(error.message);
      throw error;
    },
  };
}

/** A proxy may answer in the place of the server, with a page of its own. */
function contentOf<T>(text: string): T {
  try {
    const content = parseExactJson(text);
    if (typeof content === 'object' && content !== null) return content as T;
  } catch {
    // Told below, like everything else that presetd would not answer.
  }
  throw new ApiError(0, 'The answer is not one of presetd. See that its address leads to the server itself.');
}

function brokenOff(): ApiError {
  return new ApiError(
    0,
    'The connection broke off in the middle of the answer. What was asked for may have been done.',
  );
}

function unreachable(): ApiError {
  return new ApiError(0, 'The server cannot be reached. See that it runs, and try again.');
}

/** A path whose parts may hold any character. */
export function pathOf(...parts: readonly (string | number)[]): string {
  return parts.map((part) => `/${encodeURIComponent(part)}`).join('');
}

function queryText(query: Query): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}
