import type { Issue } from '../core/errors.ts';
import { oneLine } from '../core/text/printable.ts';
import { CommandError, type FailureKind } from './command-error.ts';

/**
 * Turns everything that can go wrong with a request into a `CommandError`: no connection, a server
 * that is not presetd, or an error response. Text from the server is escaped, because it reaches a
 * terminal.
 */

interface ErrorBody {
  readonly error: {
    readonly message: string;
    readonly metadata?: { readonly issues?: Issue[]; readonly request_id?: string };
  };
}

/** No response arrived, but the server may have carried out the request. */
export class NoResponseError extends CommandError {}

/**
 * A `catch` handler for requests that must not be repeated blindly. If the response was lost, it
 * adds a hint on how to find out whether the server carried out the request.
 */
export function hintIfResponseLost(hint: string): (error: unknown) => never {
  return (error) => {
    throw error instanceof NoResponseError ? error.restated(`${error.message}\n${hint}`) : error;
  };
}

/**
 * A `catch` handler for captures. If the person may save the version but not make it live, it says
 * what to do in the words of the command line; the server's message names a field of the API.
 */
export function adviseIfOnlyLiveRefused(advice: string): (error: unknown) => never {
  return (error) => {
    const isOnlyLive =
      error instanceof CommandError &&
      error.status === 403 &&
      error.issues.some(({ path }) => path === '/presetd/designate');
    throw isOnlyLive
      ? error.restated(`An editor of this workspace cannot change the live version. ${advice}`)
      : error;
  };
}

/** The server of a request, and where its URL comes from, such as PRESETD_URL. */
interface ServerAddress {
  readonly url: string;
  readonly urlSetting: string;
}

/** `timeoutMs` is the limit that was set, for the message of a timeout. */
export function connectionError(
  { url, urlSetting }: ServerAddress,
  error: unknown,
  timeoutMs?: number,
): CommandError {
  const root = rootCauseOf(error);
  const ErrorClass = mayHaveArrived(root) ? NoResponseError : CommandError;
  return new ErrorClass(
    `Cannot reach the server at ${url}: ${reasonOf(root, urlSetting, timeoutMs)}. Check that it is running and that ${urlSetting} is correct.`,
    { kind: 'unavailable', cause: error },
  );
}

interface FailedConnection extends ServerAddress {
  readonly keySetting: string;
  readonly profile?: string | undefined;
  readonly workspaceSetting?: string | undefined;
}

/** The error for a response with a status other than 2xx. */
export function responseError(connection: FailedConnection, response: Response, text: string): CommandError {
  const { url, urlSetting, profile } = connection;
  const location = response.headers.get('location');
  if (response.status >= 300 && response.status < 400 && location !== null)
    return new CommandError(
      `${url} redirects to ${oneLine(location)}. Set ${urlSetting} to the final address.`,
    );
  const body = parseErrorBody(text);
  if (body === undefined) return notPresetdError(connection, response);
  const { message, metadata } = body.error;
  const issues = Array.isArray(metadata?.issues) ? metadata.issues : [];
  const { status } = response;
  const sentId = metadata?.request_id ?? response.headers.get('x-request-id');
  const requestId = sentId == null ? undefined : String(sentId);
  const description = withIssues(oneLine(message), issues) + noteFor(status, connection, requestId);
  const hint = profile === undefined ? '' : ` Sign in again with "presetd login --profile ${profile}".`;
  return new CommandError(
    status === 401
      ? `The server at ${url} rejected the key in ${connection.keySetting}: ${description}${hint}`
      : description,
    { kind: kindOfStatus[status], status, issues, requestId },
  );
}

/**
 * A person who gets a 403 may not know which of their keys a command sends, and one who gets a 404
 * in which workspace it looked. Only operators can act on a 5xx, and the ID is how they find it in
 * the log.
 */
function noteFor(
  status: number,
  { keySetting, workspaceSetting }: FailedConnection,
  requestId: string | undefined,
): string {
  if (status === 403) return ` (key: ${keySetting})`;
  if (status === 404 && workspaceSetting !== undefined) return ` (workspace: ${workspaceSetting})`;
  return status < 500 || requestId === undefined ? '' : ` (request id ${oneLine(requestId)})`;
}

/** The error for a response that presetd itself would not send. */
export function notPresetdError({ url, urlSetting }: ServerAddress, response: Response): CommandError {
  const { status } = response;
  // A proxy responds like this in place of a server that may be busy, restarting or gone.
  if (status >= 500)
    return new NoResponseError(
      `The server at ${url} is unavailable (status ${status}). Check that it is running, then retry.`,
      { kind: 'unavailable', status },
    );
  const type = response.headers.get('content-type')?.split(';')[0] ?? 'no content type';
  return new CommandError(
    `${url} is not a presetd server: it returned ${status}, ${oneLine(type)}. Check ${urlSetting}.`,
    // Any web server returns 404; it does not mean that the requested preset is missing.
    { kind: status === 404 ? 'failure' : kindOfStatus[status], status },
  );
}

/** Statuses that are not listed are plain failures. */
const kindOfStatus: Readonly<Record<number, FailureKind>> = {
  401: 'authentication',
  403: 'authentication',
  404: 'not_found',
  409: 'conflict',
  412: 'conflict',
  429: 'unavailable',
  502: 'unavailable',
  503: 'unavailable',
  504: 'unavailable',
};

/**
 * The server's message already quotes the first issues. If there are several, that part is replaced
 * by a list of all of them, one per line.
 */
function withIssues(message: string, issues: readonly Issue[]): string {
  if (issues.length < 2) return message;
  const lines = issues.map((issue) => oneLine(`${issue.path} ${issue.message}`.trim()));
  const start = message.indexOf(lines[0] ?? '');
  return [start > 0 ? message.slice(0, start).trimEnd() : message, ...lines.map((line) => `  ${line}`)].join(
    '\n',
  );
}

/** Undefined if the text is not an error body of presetd. */
export function parseErrorBody(text: string): ErrorBody | undefined {
  try {
    const body: Partial<ErrorBody> | null = JSON.parse(text);
    return typeof body?.error?.message === 'string' ? (body as ErrorBody) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * `fetch` itself only reports "fetch failed"; the reason is its cause. A host with several
 * addresses fails once for each, and the first failure stands for all.
 */
function rootCauseOf(error: unknown): unknown {
  if (error instanceof AggregateError && error.errors.length > 0) return rootCauseOf(error.errors[0]);
  return error instanceof Error && error.cause !== undefined ? rootCauseOf(error.cause) : error;
}

function reasonOf(error: unknown, urlSetting: string, timeoutMs: number | undefined): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `no response within ${(timeoutMs ?? 0) / 1_000} seconds`;
  const code = codeOf(error);
  // Depending on its version, OpenSSL reports this mistake under its own code or as EPROTO.
  if (/wrong.version.number|packet.length.too.long/i.test(`${code} ${error.message}`))
    return `it does not use TLS (try http:// in ${urlSetting})`;
  return reasons[code] ?? (error.message || code);
}

function codeOf(error: Error): string {
  return 'code' in error ? String(error.code) : '';
}

/** Whether a connection existed, so that the request may have reached the server. */
function mayHaveArrived(error: unknown): boolean {
  return (
    error instanceof Error && (error.name === 'TimeoutError' || lostConnectionCodes.includes(codeOf(error)))
  );
}

const lostConnectionCodes: readonly string[] = [
  'ECONNRESET',
  'EPIPE',
  'UND_ERR_SOCKET',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
];

/** The two undici timeouts are its defaults, which apply only to streamed responses. */
const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was lost',
  EPIPE: 'the connection was lost',
  UND_ERR_SOCKET: 'the connection was lost',
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'the host name cannot be resolved',
  ETIMEDOUT: 'connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'connection timed out',
  UND_ERR_HEADERS_TIMEOUT: 'no response within five minutes',
  UND_ERR_BODY_TIMEOUT: 'no data for five minutes',
};
