import { Type } from '../core/type.ts';
import { named, nullable } from './schema-parts.ts';

// How errors appear in the OpenAPI document. `error-response.ts` produces them.

/** OpenRouter's error format. `metadata` is absent if there is nothing to add. */
named(
  'Error',
  Type.Object(
    {
      error: Type.Object({
        code: Type.Integer({ description: 'The HTTP status.', examples: [400] }),
        message: Type.String({ description: 'What is wrong and what to do about it.' }),
        type: Type.Optional(
          Type.String({
            description: 'Only below `/responses`: the type of error in the Open Responses specification.',
            examples: ['invalid_request'],
          }),
        ),
        param: Type.Optional(
          nullable(
            Type.String({
              description: 'Only below `/responses`: the parameter that is wrong.',
              examples: ['previous_response_id'],
            }),
          ),
        ),
        metadata: Type.Optional(
          Type.Object({
            issues: Type.Optional(
              Type.Array(
                Type.Object({
                  path: Type.String({
                    description: 'JSON Pointer to the invalid value; empty for the whole body.',
                  }),
                  message: Type.String(),
                }),
              ),
            ),
            request_id: Type.Optional(
              Type.String({ description: 'Identifies the request in the server log.' }),
            ),
          }),
        ),
      }),
      user_id: Type.Optional(Type.String({ description: 'The owner of the key, if the key is valid.' })),
    },
    { description: 'The format of every error.' },
  ),
);

/** The error format of Anthropic's API. */
named(
  'MessagesError',
  Type.Object(
    {
      type: Type.Literal('error'),
      error: Type.Object({ type: Type.String({ examples: ['not_found_error'] }), message: Type.String() }),
      request_id: Type.Union([Type.String(), Type.Null()]),
    },
    { description: 'The format of every error of messages calls.' },
  ),
);

/** The meaning of each status, for the API reference. */
const descriptions = {
  400: 'The request is not valid. `issues` lists every problem.',
  401: 'The key is missing, unknown, disabled, expired or of the wrong kind.',
  403: 'The key or its owner is not allowed to do this, or the owner has left the organization.',
  404: 'The resource does not exist, or this key has no access to it.',
  409: 'The request conflicts with the current state.',
  412: 'The preset is not in the state that If-Match or If-None-Match requires.',
  413: 'The body, or the part of it that would be saved, is too large.',
  415: 'The body is not JSON, or it is compressed.',
  424: "An operator has to fix presetd's settings for the upstream: its key is missing or was rejected, or the upstream redirected, sent an unrequested compressed response or has an invalid certificate.",
  426: 'The request does not ask for a WebSocket.',
  429: 'Too many requests with this key, or too many failed authentications from this address.',
  500: 'Internal error. The request id identifies it in the server log.',
  502: 'The upstream cannot be reached or sent an invalid response.',
  503: 'The server is overloaded, the database is unavailable, or the upstream is at capacity.',
  504: 'The upstream did not start to respond in time.',
} as const;

const integerHeader = (description: string) => ({ type: 'integer', description });
const retryAfter = { 'retry-after': integerHeader('Seconds to wait before retrying.') };

const shouldRetry = {
  'x-should-retry': {
    type: 'string',
    enum: ['false'],
    description: 'Present if a retry cannot succeed.',
  },
};

/** Response headers by status. All statuses not listed have `x-should-retry`. */
const headersOf: Readonly<Record<number, Readonly<Record<string, object>>>> = {
  426: { ...shouldRetry, upgrade: { type: 'string', enum: ['websocket'], description: 'The protocol.' } },
  429: {
    ...retryAfter,
    'x-ratelimit-limit': integerHeader('Requests allowed per minute.'),
    'x-ratelimit-remaining': integerHeader('Remaining requests: 0.'),
    'x-ratelimit-reset': integerHeader('Seconds until the limit resets.'),
  },
  500: {},
  502: {},
  503: { ...retryAfter, ...shouldRetry },
  504: {},
};

export type ErrorStatus = keyof typeof descriptions;

/** The error part of an operation's responses. `schemaName` is `Error` or `MessagesError`. */
export function errorResponses(schemaName: string, statuses: readonly ErrorStatus[]) {
  const content = { 'application/json': { $ref: `${schemaName}#` } };
  return Object.fromEntries(
    statuses.map((status) => {
      const headers = headersOf[status] ?? shouldRetry;
      return [status, { description: descriptions[status], headers, content }];
    }),
  );
}
