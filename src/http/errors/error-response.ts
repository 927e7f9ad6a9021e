import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyBaseLogger, FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { type ErrorKind, PresetdError } from '../../core/errors.ts';
import type { Dialect } from '../../core/presets/preset.ts';
import { dialectOf } from '../../dialects/dialects.ts';
import { type ErrorDetails, standardErrorBody } from '../../dialects/model/error-details.ts';
import { scimErrorBody } from '../../scim/scim-error.ts';
import { isRouteBodyLimit } from '../body/request-body.ts';
import { commonHeaders, requestIdOf } from '../protocol/headers.ts';

/** The HTTP status of every error kind; a new kind does not compile until it has one. */
const statusOf = {
  invalid_request: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  precondition_failed: 412,
  too_large: 413,
  unsupported_media_type: 415,
  upstream_misconfigured: 424,
  upgrade_required: 426,
  rate_limited: 429,
  internal: 500,
  bad_gateway: 502,
  unavailable: 503,
  gateway_timeout: 504,
} as const satisfies Record<ErrorKind, number>;

/** Kinds that may resolve on their own, so clients should retry. */
const retryable: ReadonlySet<ErrorKind> = new Set([
  'rate_limited',
  'internal',
  'bad_gateway',
  'unavailable',
  'gateway_timeout',
]);

/** Formats of errors besides the standard one. */
type ErrorDialect = Dialect | 'scim';

interface ErrorContext {
  readonly requestId: string;
  /** Undefined if the caller is not authenticated. */
  readonly userId: string | undefined;
  /** Undefined for the standard error format. */
  readonly dialect: ErrorDialect | undefined;
  readonly log: Pick<FastifyBaseLogger, 'error'>;
}

interface ErrorResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: string;
}

/** The framework's error handler: sends any error in the format of its route. */
export function sendError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const error = isClientGone(thrown, reply) ? clientGoneError : toPresetdError(thrown, request.routeOptions);
  const dialect = request.routeOptions.config?.dialect ?? errorDialectForUrl(request.url);
  const rendered = renderError(error, {
    requestId: request.id,
    userId: request.caller?.ownerId,
    dialect,
    log: request.log,
  });
  // The framework rejects a malformed URL before the hook that sets these headers.
  reply.headers(commonHeaders(request.id));
  return reply.code(rendered.status).headers(rendered.headers).type(mediaTypeOf(dialect)).send(rendered.body);
}

/**
 * Sends an error on the raw response, for requests that are rejected before the framework sees
 * them. The body has the format of the route that the URL belongs to. Returns what the request log
 * and the metrics need.
 */
export function sendRawError(
  { url, headers }: IncomingMessage,
  response: ServerResponse,
  error: PresetdError,
  log: ErrorContext['log'],
): { readonly requestId: string; readonly status: number } {
  const requestId = requestIdOf(headers);
  const dialect = errorDialectForUrl(url);
  const rendered = renderError(error, { requestId, userId: undefined, dialect, log });
  response.writeHead(rendered.status, {
    ...rendered.headers,
    ...commonHeaders(requestId),
    'content-type': `${mediaTypeOf(dialect)}; charset=utf-8`,
    'content-length': Buffer.byteLength(rendered.body),
  });
  response.end(rendered.body);
  return { requestId, status: rendered.status };
}

/**
 * The dialect whose error format a URL without a route gets: Anthropic's SDK expects its own format
 * even if the base URL is wrong or the operation is not supported, and so do SCIM clients.
 * Undefined for all other URLs.
 */
export function errorDialectForUrl(url = ''): ErrorDialect | undefined {
  if (/^\/scim(?:[/?]|$)/.test(url)) return 'scim';
  return /^(?:\/api|\/v1)*\/messages(?:[/?]|$)/.test(url) ? 'messages' : undefined;
}

function mediaTypeOf(dialect: ErrorDialect | undefined): string {
  return dialect === 'scim' ? 'application/scim+json' : 'application/json';
}

/** Whether a stream failed because the client disconnected. Any other failure is still a defect. */
function isClientGone(thrown: unknown, { raw }: FastifyReply): boolean {
  return (
    raw.destroyed && (thrown as Partial<FastifyError> | undefined)?.code === 'ERR_STREAM_PREMATURE_CLOSE'
  );
}

/** Never reaches a client; its kind keeps a disconnect out of the error log. */
const clientGoneError = new PresetdError(
  'invalid_request',
  'The connection was closed before the response was sent.',
);

/**
 * Turns any thrown value into status, headers and body. Errors below 500 explain themselves to the
 * client; the cause of an internal error is logged and hidden.
 */
export function renderError(
  thrown: unknown,
  { requestId, userId, dialect, log }: ErrorContext,
): ErrorResponse {
  const error = thrown instanceof PresetdError ? thrown : internalError(thrown);
  const { kind, message, issues, metadata, retryAfterSeconds, limit, allow, needsOperator } = error;
  const status = statusOf[kind];
  // The gateway logs upstream failures itself, and startup logs misconfigured upstreams.
  const isOurs = kind === 'internal' || (kind === 'unavailable' && error.cause !== undefined);
  if (isOurs) log.error({ reqId: requestId, err: loggable(error.cause ?? thrown) }, message);
  return {
    status,
    headers: {
      ...(retryAfterSeconds !== undefined && { 'retry-after': retryAfterSeconds }),
      ...(allow !== undefined && { allow: allow.join(', ') }),
      ...(limit !== undefined && {
        'x-ratelimit-limit': limit,
        'x-ratelimit-remaining': 0,
        'x-ratelimit-reset': retryAfterSeconds ?? 0,
      }),
      ...(kind === 'unauthenticated' && { 'www-authenticate': 'Bearer' }),
      ...(kind === 'upgrade_required' && { upgrade: 'websocket', connection: 'upgrade' }),
      // Without this header, OpenAI's and Anthropic's clients retry 409 and 5xx.
      ...((needsOperator || !retryable.has(kind)) && { 'x-should-retry': 'false' }),
    },
    body: JSON.stringify(
      bodyOf(error, dialect, {
        status,
        message,
        requestId,
        ...(issues !== undefined && { issues }),
        ...(metadata !== undefined && { metadata }),
        ...(userId !== undefined && { userId }),
      }),
    ),
  };
}

function bodyOf(error: PresetdError, dialect: ErrorDialect | undefined, details: ErrorDetails): object {
  if (dialect === 'scim') return scimErrorBody(error, details.status);
  return (dialect === undefined ? standardErrorBody : dialectOf[dialect].errors.write)(details);
}

/**
 * The parts of an error that are safe to log. Database errors may carry the rejected row, which
 * holds a prompt.
 */
function loggable(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack } = error;
  return { type: name, message, stack, ...('code' in error && { code: error.code }) };
}

function toPresetdError(thrown: unknown, route: FastifyRequest['routeOptions'] | undefined): PresetdError {
  if (thrown instanceof PresetdError) return thrown;
  const status = (thrown as Partial<FastifyError> | undefined)?.statusCode ?? 500;
  const code = (thrown as Partial<FastifyError> | undefined)?.code ?? '';
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return wrongMediaType(route?.config?.bodyTypes);
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return bodyTooLarge(route?.bodyLimit);
  const frameworkError = frameworkErrors[code];
  if (frameworkError !== undefined) return frameworkError;
  if (status >= 400 && status < 500 && thrown instanceof Error)
    return new PresetdError('invalid_request', thrown.message);
  return internalError(thrown);
}

function internalError(cause: unknown): PresetdError {
  return new PresetdError(
    'internal',
    'Internal server error. Find its cause in the server log by the request ID.',
    { cause },
  );
}

function bodyTooLarge(bytesMax = 0): PresetdError {
  // No setting raises the limits of single routes.
  const remedy = isRouteBodyLimit(bytesMax) ? '' : ', or raise PRESETD_BODY_LIMIT';
  return new PresetdError(
    'too_large',
    `The request body exceeds the limit of ${bytesMax} bytes. Send a smaller one${remedy}.`,
  );
}

function wrongMediaType(expected: readonly string[] = ['application/json']): PresetdError {
  const formats = expected.map((type) => formatNames[type] ?? type).join(' or ');
  const types = expected.map((type) => `"Content-Type: ${type}"`).join(' or ');
  return new PresetdError(
    'unsupported_media_type',
    `The request body must be ${formats}. Send it with ${types}.`,
  );
}

const formatNames: Readonly<Record<string, string>> = {
  'application/json': 'JSON',
  'application/x-ndjson': 'newline-delimited JSON',
  'multipart/form-data': 'a form',
};

/** Clearer messages for some of the framework's own errors. */
const frameworkErrors: Readonly<Record<string, PresetdError>> = {
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: new PresetdError(
    'invalid_request',
    'The length of the request body does not match its Content-Length header.',
  ),
  FST_ERR_BAD_URL: new PresetdError(
    'invalid_request',
    'The URL is malformed: its percent-encoding is not valid.',
  ),
};
