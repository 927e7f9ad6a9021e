import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { type ErrorKind, PresetdError } from '../core/errors.ts';
import { isSmallBody } from './small-body.ts';

export const statusOf = {
  invalid_request: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  precondition_failed: 412,
  too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  internal: 500,
  unavailable: 503,
} as const satisfies Record<ErrorKind, number>;

export interface ErrorBody {
  readonly error: {
    readonly code: number;
    readonly message: string;
    readonly metadata?: Readonly<Record<string, unknown>>;
  };
  readonly user_id?: string;
}

/** Answers any error in the one shape that all errors have. What is below 500 is told; the rest is logged and hidden. */
export function sendError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const error = toPresetdError(thrown, request.routeOptions);
  const status = statusOf[error.kind];
  if (status >= 500)
    request.log.error({ reqId: request.id, err: loggable(error.cause ?? thrown) }, error.message);
  // A URL that cannot be read is answered before the hooks that would do this.
  reply.header('x-request-id', request.id);
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', error.retryAfterSeconds);
  if (error.kind === 'unauthenticated') reply.header('www-authenticate', 'Bearer');
  return reply
    .code(status)
    .type('application/json')
    .send(JSON.stringify(errorBody(error, status, request)));
}

/** What a database adds to its errors can hold the row that it refused, and with it a prompt: only these parts are logged. */
function loggable(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack } = error;
  return { type: name, message, stack, ...('code' in error && { code: error.code }) };
}

function errorBody(error: PresetdError, code: number, request: FastifyRequest): ErrorBody {
  const userId = request.caller?.ownerId;
  const metadata = {
    ...(error.issues !== undefined && { issues: error.issues }),
    ...(code >= 500 && { request_id: request.id }),
  };
  return {
    error: { code, message: error.message, ...(Object.keys(metadata).length > 0 && { metadata }) },
    ...(userId !== undefined && { user_id: userId }),
  };
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
  return new PresetdError(
    'internal',
    'Something went wrong on our side. The request id helps to find out what.',
    {
      cause: thrown,
    },
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
