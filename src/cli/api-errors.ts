import { oneLine } from '../client/printable.ts';
import type { Issue } from '../core/errors.ts';
import { CommandError, type FailureKind } from './command-error.ts';

interface ErrorBody {
  readonly error: {
    readonly message: string;
    readonly metadata?: { readonly issues?: Issue[]; readonly request_id?: string };
  };
}

/** The server may have done what it was asked, and nobody heard of it. */
export class NoResponseError extends CommandError {}

/** Why there was no answer at all. */
export function connectionError(url: string, error: unknown, limitMs?: number): CommandError {
  const ErrorClass = isBrokenOff(rootOf(error)) ? NoResponseError : CommandError;
  return new ErrorClass(
    `The server at ${url} cannot be reached (${reasonOf(rootOf(error), limitMs)}): see that it runs and that PRESETD_URL is its address.`,
    { kind: 'unavailable', cause: error },
  );
}

/** What the server says against the request, or that it does not speak as presetd does. */
export function responseError(
  { url, keySetting }: { readonly url: string; readonly keySetting: string },
  response: Response,
  text: string,
): CommandError {
  const location = response.headers.get('location');
  if (response.status >= 300 && response.status < 400 && location !== null)
    return new CommandError(`${url} sends on to ${oneLine(location)}: set PRESETD_URL to where that leads.`);
  const answer = parseErrorBody(text);
  if (answer === undefined) return notPresetdError(url, response);
  const { message, metadata } = answer.error;
  const issues = Array.isArray(metadata?.issues) ? metadata.issues : [];
  const { status } = response;
  const named = metadata?.request_id ?? response.headers.get('x-request-id');
  const requestId = named == null ? undefined : String(named);
  const told =
    withIssues(oneLine(message), issues) +
    (status < 500 || requestId === undefined ? '' : ` (request id ${oneLine(requestId)})`);
  return new CommandError(
    status === 401 ? `The server at ${url} refuses the key in ${keySetting}: ${told}` : told,
    { kind: kindOfStatus[status], status, issues, requestId },
  );
}

export function notPresetdError(url: string, response: Response): CommandError {
  // A gateway answers so in place of the server, which may be at work or gone.
  if (response.status >= 500)
    return new NoResponseError(
      `The server behind PRESETD_URL (${url}) does not answer right now (status ${response.status}): see that it runs, and try again.`,
      { kind: 'unavailable', status: response.status },
    );
  const type = response.headers.get('content-type')?.split(';')[0] ?? 'without a content type';
  return new CommandError(
    `${url} does not answer as presetd does (${response.status}, ${oneLine(type)}): see that PRESETD_URL is the address of the server.`,
    // Any web server answers 404: that says nothing about what was asked for.
    { kind: response.status === 404 ? 'failure' : kindOfStatus[response.status], status: response.status },
  );
}

/** Any other status is a plain failure. */
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

/** The message of the server names the first issues itself; where there are several, each gets a line instead. */
function withIssues(message: string, issues: readonly Issue[]): string {
  if (issues.length < 2) return message;
  const lines = issues.map((issue) => oneLine(`${issue.path} ${issue.message}`.trim()));
  const start = message.indexOf(lines[0] ?? '');
  return [start > 0 ? message.slice(0, start).trimEnd() : message, ...lines.map((line) => `  ${line}`)].join(
    '\n',
  );
}

/** Undefined where it is not one of ours. */
export function parseErrorBody(text: string): ErrorBody | undefined {
  try {
    const answer: Partial<ErrorBody> | null = JSON.parse(text);
    return typeof answer?.error?.message === 'string' ? (answer as ErrorBody) : undefined;
  } catch {
    return undefined;
  }
}

/** fetch itself only says that it failed; a host with several addresses fails once for each. */
function rootOf(error: unknown): unknown {
  if (error instanceof AggregateError && error.errors.length > 0) return rootOf(error.errors[0]);
  return error instanceof Error && error.cause !== undefined ? rootOf(error.cause) : error;
}

function reasonOf(error: unknown, limitMs: number | undefined): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `no answer within ${(limitMs ?? 0) / 1_000} seconds`;
  const code = codeOf(error);
  // The code is EPROTO or one for each of these, as it happens.
  if (/wrong.version.number|packet.length.too.long/i.test(`${code} ${error.message}`))
    return 'it does not speak TLS: try http:// in PRESETD_URL';
  return reasons[code] ?? (error.message || code);
}

function codeOf(error: Error): string {
  return 'code' in error ? String(error.code) : '';
}

/** There was a connection, so that the request may have arrived. */
function isBrokenOff(error: unknown): boolean {
  return error instanceof Error && (error.name === 'TimeoutError' || brokenOffCodes.includes(codeOf(error)));
}

const brokenOffCodes: readonly string[] = [
  'ECONNRESET',
  'EPIPE',
  'UND_ERR_SOCKET',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
];

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection broke off',
  EPIPE: 'the connection broke off',
  UND_ERR_SOCKET: 'the connection broke off',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name of the host cannot be looked up',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  UND_ERR_HEADERS_TIMEOUT: 'no answer within five minutes',
  UND_ERR_BODY_TIMEOUT: 'nothing came for five minutes',
};
