import type { FastifyBaseLogger, FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { type ErrorKind, PresetdError } from '../core/errors.ts';
import type { Dialect } from '../core/preset.ts';
import { dialectOf } from '../dialects/dialects.ts';
import { standardErrorBody } from '../dialects/error-details.ts';
import { commonHeaders } from './common-headers.ts';
import { isSmallBody } from './small-body.ts';

export const statusOf = {
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

/** Whom an error is told, and in which words. */
export interface ErrorContext {
  readonly requestId: string;
  readonly userId: string | undefined;
  /** Undefined where errors have the standard shape. */
  readonly dialect: Dialect | undefined;
  readonly log: Pick<FastifyBaseLogger, 'error'>;
}

export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: string;
}

/** Answers any error in the shape that its route has for them. */
export function sendError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const error = hasLeft(thrown, reply) ? nobodyThere : toPresetdError(thrown, request.routeOptions);
  const answer = answerTo(error, {
    requestId: request.id,
    userId: request.caller?.ownerId,
    dialect: request.routeOptions.config?.dialect ?? errorDialectAt(request.url),
    log: request.log,
  });
  // A URL that cannot be read is answered before the hooks that would do this.
  reply.headers(commonHeaders(request.id));
  return reply.code(answer.status).headers(answer.headers).type('application/json').send(answer.body);
}

/** Clients of Anthropic's API read errors in its shape, also where the base URL is wrong or an operation is not supported. */
export function errorDialectAt(url = ''): Dialect | undefined {
  return /^(?:\/api|\/v1)*\/messages(?:[/?]|$)/.test(url) ? 'messages' : undefined;
}

/** Whether a stream ended because the client did. What else goes wrong meanwhile is a defect all the same. */
function hasLeft(thrown: unknown, { raw }: FastifyReply): boolean {
  return (
    raw.destroyed && (thrown as Partial<FastifyError> | undefined)?.code === 'ERR_STREAM_PREMATURE_CLOSE'
  );
}

const nobodyThere = new PresetdError('invalid_request', 'The connection was closed before the answer.');

/** What is below 500 is told; the rest is logged and hidden. */
export function answerTo(thrown: unknown, { requestId, userId, dialect, log }: ErrorContext): ErrorAnswer {
  const error = thrown instanceof PresetdError ? thrown : hidden(thrown);
  const { kind, message, issues, retryAfterSeconds, limit, allow, needsOperator } = error;
  const status = statusOf[kind];
  // What upstreams do is told where it happens; and what is wrong with their configuration, at the start.
  const isOurs = kind === 'internal' || (kind === 'unavailable' && error.cause !== undefined);
  if (isOurs) log.error({ reqId: requestId, err: loggable(error.cause ?? thrown) }, message);
  const shape = dialect === undefined ? standardErrorBody : dialectOf[dialect].errorBody;
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
      // OpenAI's and Anthropic's clients retry 409 and 5xx unless told not to.
      ...((needsOperator || !retryable.has(kind)) && { 'x-should-retry': 'false' }),
    },
    body: JSON.stringify(
      shape({
        status,
        message,
        requestId,
        ...(issues !== undefined && { issues }),
        ...(userId !== undefined && { userId }),
      }),
    ),
  };
}

/** What a database adds to its errors can hold the row that it refused, and with it a prompt: only these parts are logged. */
function loggable(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack } = error;
  return { type: name, message, stack, ...('code' in error && { code: error.code }) };
}

function toPresetdError(thrown: unknown, route: FastifyRequest['routeOptions'] | undefined): PresetdError {
  if (thrown instanceof PresetdError) return thrown;
  const status = (thrown as Partial<FastifyError> | undefined)?.statusCode ?? 500;
  const code = (thrown as Partial<FastifyError> | undefined)?.code ?? '';
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return wrongMediaType(route?.schema?.consumes?.[0]);
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return bodyTooLarge(route?.bodyLimit);
  const told = frameworkErrors[code];
  if (told !== undefined) return told;
  if (status >= 400 && status < 500 && thrown instanceof Error)
    return new PresetdError('invalid_request', thrown.message);
  return hidden(thrown);
}

function hidden(cause: unknown): PresetdError {
  return new PresetdError(
    'internal',
    'Something went wrong on our side. The request id helps to find out what.',
    { cause },
  );
}

function bodyTooLarge(bytesMax = 0): PresetdError {
  const more = isSmallBody(bytesMax) ? '' : ', or raise PRESETD_BODY_LIMIT';
  return new PresetdError(
    'too_large',
    `The request body is larger than the ${bytesMax} bytes that are accepted here. Send less${more}.`,
  );
}

function wrongMediaType(expected = 'application/json'): PresetdError {
  const form = expected === 'application/json' ? 'JSON' : 'lines of JSON';
  return new PresetdError(
    'unsupported_media_type',
    `The request body must be ${form}. Send it with "Content-Type: ${expected}".`,
  );
}

const frameworkErrors: Readonly<Record<string, PresetdError>> = {
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: new PresetdError(
    'invalid_request',
    'The request body does not have the length that its Content-Length header gives.',
  ),
  FST_ERR_BAD_URL: new PresetdError(
    'invalid_request',
    'The URL is malformed: its percent-encoding cannot be read.',
  ),
};
