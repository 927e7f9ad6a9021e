import { setTimeout as delay } from 'node:timers/promises';
import { type Client, createClient, type HttpRequest } from '../api/client.ts';
import { parseExact } from '../core/json/json-text.ts';
import { productVersion } from '../package.ts';
import { connectionError, NoResponseError, notPresetdError, responseError } from './api-errors.ts';

/**
 * The HTTP client of all commands that call a server.
 *
 * It holds no state beyond its configuration: a command creates one, sends its requests and exits.
 * Every failure surfaces as a `CommandError` with a message for people, so commands have no error
 * handling of their own. Requests are retried only if they are marked idempotent.
 */
export interface ApiClient extends Client<CallOptions> {
  /**
   * Streams an NDJSON body. There is no overall timeout, because an export may take any time;
   * Node.js closes a connection that is silent for five minutes.
   */
  open(request: HttpRequest): Promise<AsyncIterable<Uint8Array>>;
}

interface CallOptions {
  /** Sending it twice has the same effect as sending it once, so it is safe to retry. */
  readonly isIdempotent?: boolean;
  readonly timeoutMs?: number;
}

export interface ApiConnection {
  readonly url: string;
  /** Where the URL comes from, such as PRESETD_URL, for error messages. */
  readonly urlSetting: string;
  /** Undefined for requests that need no key. */
  readonly key: string | undefined;
  /** Where the key comes from. Error messages name it, and never the key itself. */
  readonly keySetting: string;
  /** The name of the profile that the key comes from, if any. */
  readonly profile?: string | undefined;
  /** The workspace that requests name although the command did not, for error messages. */
  readonly workspaceSetting?: string | undefined;
}

/** Longer than any single read or write takes, short enough for a person to wait for. */
const defaultTimeoutMs = 30_000;
const attemptsMax = 4;
/** Upper bound for `Retry-After`, so that a server cannot make a script hang. */
const retryDelayMsMax = 30_000;

/**
 * `findWorkspaceId` is called before each request, outside its timeout and retries. Unless it
 * returns undefined, every request names that workspace.
 */
export function createApiClient(
  connection: ApiConnection,
  findWorkspaceId?: () => Promise<string | undefined>,
): ApiClient {
  const { url, key } = connection;

  async function targetOf({ path }: HttpRequest): Promise<URL> {
    const target = new URL(`${url}/api/v1${path}`);
    const workspaceId = await findWorkspaceId?.();
    if (workspaceId !== undefined) target.searchParams.set('workspace_id', workspaceId);
    return target;
  }

  function fetchOnce(target: URL, request: HttpRequest, signal: AbortSignal | null): Promise<Response> {
    const { method, headers, body } = request;
    return fetch(target, {
      method,
      // Following a redirect would turn a POST into a GET.
      redirect: 'manual',
      headers: {
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        'user-agent': `presetd/${productVersion}`,
        ...headers,
      },
      ...(body !== undefined && { body }),
      signal,
    });
  }

  function rethrow(error: unknown): never {
    throw connectionError(connection, error);
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
  async function attempt(
    target: URL,
    request: HttpRequest,
    timeoutMs: number,
  ): Promise<{ response: Response; text: string }> {
    try {
      const response = await fetchOnce(target, request, AbortSignal.timeout(timeoutMs));
      return { response, text: await response.text() };
    } catch (error) {
      throw connectionError(connection, error, timeoutMs);
    }
  }

  const client = createClient(async (request, options: CallOptions | undefined) => {
    const { isIdempotent = false, timeoutMs = defaultTimeoutMs } = options ?? {};
    const target = await targetOf(request);
    const send = () => attempt(target, request, timeoutMs);
    const { response, text } = await (isIdempotent ? withRetries(send) : send());
    if (!response.ok) throw responseError(connection, response, text);
    const content = parseResponseBody(text);
    if (content === undefined) throw notPresetdError(connection, response);
    return { headers: response.headers, text, content };
  });

  return {
    ...client,
    async open(request) {
      const target = await targetOf(request);
      const response = await fetchOnce(target, request, null).catch(rethrow);
      if (!response.ok) throw responseError(connection, response, await response.text().catch(rethrow));
      const type = response.headers.get('content-type') ?? '';
      if (response.body === null || !type.startsWith('application/x-ndjson'))
        throw notPresetdError(connection, response);
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
