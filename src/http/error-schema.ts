import { Type } from 'typebox';

export const errorSchema = Type.Object(
  {
    error: Type.Object({
      code: Type.Integer({ description: 'The HTTP status.', examples: [400] }),
      message: Type.String({ description: 'What is wrong, and what to change.' }),
      metadata: Type.Optional(
        Type.Object({
          issues: Type.Optional(
            Type.Array(
              Type.Object({
                path: Type.String({
                  description: 'JSON Pointer to the offending value; empty for the whole.',
                }),
                message: Type.String(),
              }),
            ),
          ),
          request_id: Type.Optional(
            Type.String({ description: 'Finds the request in the log of the server.' }),
          ),
        }),
      ),
    }),
    user_id: Type.Optional(Type.String({ description: 'The owner of the key, when it was a good one.' })),
  },
  { description: 'The shape of every error.' },
);

/** The shape of errors in Anthropic's dialect. */
export const messagesErrorSchema = Type.Object(
  {
    type: Type.Literal('error'),
    error: Type.Object({ type: Type.String({ examples: ['not_found_error'] }), message: Type.String() }),
    request_id: Type.Union([Type.String(), Type.Null()]),
  },
  { description: 'The shape of every error of messages.' },
);

const descriptions = {
  400: 'The request cannot be understood; every problem is listed.',
  401: 'No key, or one that is unknown, disabled, expired or of the wrong kind.',
  403: 'The key or its owner may not do this, or the owner has left the organization.',
  404: 'There is no such thing that this key can reach.',
  409: 'The request contradicts the present state.',
  412: 'The preset is not in the state that If-Match or If-None-Match asks for.',
  413: 'The body, or what would be kept of it, is too large.',
  415: 'The body is not JSON.',
  424: "An operator has to change presetd's settings for the upstream: it has no key, or the upstream refused the key, redirected, sent an unrequested compressed response or has an invalid certificate.",
  429: 'Too many requests with this key, or without a good key from this address.',
  500: 'A defect; the request id finds it in the log.',
  502: 'The upstream cannot be reached, or answered with something else than an answer.',
  503: 'The database cannot answer right now, or the upstream has no room.',
  504: 'The upstream did not begin to answer in time.',
} as const;

const seconds = (description: string) => ({ type: 'integer', description });
const retryAfter = { 'retry-after': seconds('Seconds until it may be tried again.') };

const shouldRetry = {
  'x-should-retry': {
    type: 'string',
    enum: ['false'],
    description: 'Present when a retry cannot help.',
  },
};

const headersOf: Readonly<Record<number, object>> = {
  429: {
    ...retryAfter,
    'x-ratelimit-limit': seconds('How many are allowed in a minute.'),
    'x-ratelimit-remaining': seconds('How many are left: 0.'),
    'x-ratelimit-reset': seconds('Seconds until the count begins anew.'),
  },
  500: {},
  502: {},
  503: { ...retryAfter, ...shouldRetry },
  504: {},
};

/** The error part of a route's `response` schema. */
export function errorResponses(...statuses: readonly ErrorStatus[]): Record<number, object> {
  return errorResponsesOf('Error', statuses);
}

type ErrorStatus = keyof typeof descriptions;

export function errorResponsesOf(
  schemaName: string,
  statuses: readonly ErrorStatus[],
): Record<number, object> {
  return Object.fromEntries(
    statuses.map((status) => {
      const headers = headersOf[status] ?? shouldRetry;
      return [status, { description: descriptions[status], headers, $ref: `${schemaName}#` }];
    }),
  );
}

/** What most deletions answer. */
export const deletedResponse = {
  description: 'It is gone.',
  type: 'object',
  required: ['deleted'],
  properties: { deleted: { type: 'boolean', enum: [true] } },
};
