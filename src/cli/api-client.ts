import { setTimeout as delay } from 'node:timers/promises';
import { parseExact } from '../core/json-text.ts';
import { productVersion } from '../product-version.ts';
import { connectionError, NoResponseError, notPresetdError, responseError } from './api-errors.ts';

export interface ApiConnection {
  readonly url: string;
  readonly key: string;
  /** The setting that the key is from, for messages. */
  readonly keySetting: string;
}

type Query = Readonly<Record<string, string | number | undefined>>;

export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the prefix of the API. */
  readonly path: string;
  readonly query?: Query;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer> | string;
  /** To send it twice does the same as to send it once, so that it is tried again where the server could not answer. */
  readonly isIdempotent?: boolean;
  readonly timeoutMs?: number;
}

export interface ApiResponse<Content> {
  readonly headers: Headers;
  /** As the server sent it. */
  readonly text: string;
  /** What it says. Numbers keep all their digits. */
  readonly content: Content;
}

export interface ApiClient {
  /** Throws a `CommandError` for everything but success. */
  send<Content extends object>(request: ApiRequest): Promise<ApiResponse<Content>>;
  /** The body as it comes. There is no limit on the whole; Node.js ends a connection that is silent for five minutes. */
  open(path: string): Promise<AsyncIterable<Uint8Array>>;
}

const timeoutMs = 30_000;
const attemptsMax = 4;
const waitMsMax = 30_000;

/** Every request has the query that is given here, besides its own. */
export function createApiClient(connection: ApiConnection, everyQuery: Query = {}): ApiClient {
  const { url, key } = connection;

  function fetchOnce(request: ApiRequest, signal: AbortSignal | null): Promise<Response> {
    const { method = 'GET', path, query, headers, body } = request;
    const target = new URL(`${url}/api/v1${path}`);
    for (const [name, value] of Object.entries({ ...query, ...everyQuery }))
      if (value !== undefined) target.searchParams.set(name, String(value));
    return fetch(target, {
      method,
      // A redirect would turn a POST into a GET.
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

  /** Holds on to the response: without it, a body that nobody has begun to read may be thrown away as garbage. */
  async function* readBody(response: Response): AsyncGenerator<Uint8Array> {
    try {
      if (response.body !== null) yield* response.body;
    } catch (error) {
      rethrow(error);
    }
  }

  async function attempt(request: ApiRequest): Promise<{ response: Response; text: string }> {
    const limitMs = request.timeoutMs ?? timeoutMs;
    try {
      const response = await fetchOnce(request, AbortSignal.timeout(limitMs));
      return { response, text: await response.text() };
    } catch (error) {
      throw connectionError(url, error, limitMs);
    }
  }

  return {
    async send<Content extends object>(request: ApiRequest) {
      const { response, text } = await (request.isIdempotent
        ? repeated(() => attempt(request))
        : attempt(request));
      if (!response.ok) throw responseError(connection, response, text);
      // The server is ours and its answers have tests: what calls itself an answer has the form of one.
      const content = parseAnswer(text) as Content | undefined;
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

/** Tries a few times while there is no connection or the server says that it is busy, and waits as long as it asks. */
async function repeated<T extends { response: Response }>(work: () => Promise<T>): Promise<T> {
  let unheard: NoResponseError | undefined;
  for (let attempt = 1; ; attempt += 1) {
    const isLast = attempt === attemptsMax;
    let waitMs = 200 * 2 ** attempt;
    try {
      const answer = await work();
      const { status, headers } = answer.response;
      const canWait = status === 429 || (status === 503 && headers.get('x-should-retry') !== 'false');
      if (!canWait || isLast) return answer;
      const seconds = Number(headers.get('retry-after') ?? Number.NaN);
      if (seconds >= 0) waitMs = seconds * 1_000;
    } catch (error) {
      // The one that may have been done says more than one after it that was not even heard.
      if (error instanceof NoResponseError) unheard = error;
      if (isLast) throw unheard ?? error;
    }
    await delay(Math.min(waitMs, waitMsMax));
  }
}

/** Each answer of a server of ours has one of them. */
const ownFields = ['data', 'deleted', 'removed_count'];

/** Undefined when it is not from a server of ours. */
function parseAnswer(text: string): object | undefined {
  try {
    const answer = parseExact(text);
    if (typeof answer !== 'object' || answer === null) return undefined;
    return ownFields.some((field) => field in answer) ? answer : undefined;
  } catch {
    return undefined;
  }
}
