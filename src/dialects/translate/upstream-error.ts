/**
 * Errors of upstreams, independent of the dialect. Clients react to some by status, code or even
 * words, which differ between dialects: those that retry an overloaded server, and those that
 * shorten a conversation that has become too long for the model.
 */

import type { Dialect } from '../../core/presets/preset.ts';
import { findFailure as findChoiceFailure } from '../chat-completions/stop-reason.ts';
import {
  type ErrorDetails,
  findErrorMessage,
  isStandardErrorBody,
  standardErrorBody,
} from '../error-details.ts';
import { isJsonObject, type JsonObject, omitNullish } from '../json-object.ts';
import { errorBody as messagesErrorBody } from '../messages/errors.ts';
import { errorBody as responsesErrorBody } from '../responses/errors.ts';
import { findFailure as findStatusFailure } from '../responses/stop-reason.ts';
import { asObject, asObjects, asText } from './loose-json.ts';

export interface UpstreamError {
  readonly status: number;
  readonly message: string;
  /** The provider's own classification, such as `invalid_request_error`. */
  readonly type?: string | undefined;
  /** A word for the exact reason, which only OpenAI has. */
  readonly code?: string | undefined;
  /** The field of the request that is wrong, in the upstream's dialect. */
  readonly param?: string | undefined;
}

/** An error response in the client's dialect. */
export interface TranslatedError {
  readonly status: number;
  readonly body: object;
}

/**
 * Translates an error response. `details` has its status, and the message for a body that has none.
 * Both OpenAI dialects have the same errors, so a body that is valid in one only gets what it lacks.
 */
export function translateError(
  body: unknown,
  from: Dialect,
  to: Dialect,
  details: ErrorDetails,
): TranslatedError {
  if (from !== 'messages' && to !== 'messages' && isStandardErrorBody(body))
    return { status: details.status, body: completeError(body as JsonObject, to, details) };
  const parsed = parseUpstreamError(body, details.status);
  const error = adaptError({ ...parsed, message: parsed.message || details.message }, to);
  return { status: error.status, body: writeError(error, to, details) };
}

function completeError(
  body: JsonObject,
  to: 'chat-completions' | 'responses',
  details: ErrorDetails,
): object {
  const { metadata: _, ...own } = asObject(bodyWriters[to](details).error);
  return { ...body, error: { ...own, ...asObject(body.error) } };
}

const bodyWriters = {
  'chat-completions': (details: ErrorDetails): JsonObject => ({ ...standardErrorBody(details) }),
  responses: (details: ErrorDetails): JsonObject => ({ ...responsesErrorBody(details) }),
};

function writeError(error: UpstreamError, to: Dialect, details: ErrorDetails): object {
  const { status, message, type, code, param } = error;
  if (to === 'messages') return messagesErrorBody({ ...details, status, message });
  const body = bodyWriters[to]({ ...details, status, message });
  return { ...body, error: { ...asObject(body.error), ...omitNullish({ type, code, param }) } };
}

/** An error in the body of a response with a successful status. */
export interface ResponseError {
  readonly status: number;
  /** As the upstream wrote it. It always has a message. */
  readonly error: JsonObject;
}

/**
 * Finds the error in a response that the upstream sent as a success: some notice too late that they
 * cannot answer. Returns undefined for a response to be translated.
 */
export function findResponseError(body: JsonObject, dialect: Dialect): ResponseError | undefined {
  const [choice = {}] = asObjects(body.choices);
  const holder = [body, choice].find(({ error }) => isJsonObject(error));
  if (holder !== undefined) {
    const { status, message } = parseUpstreamError(holder);
    return { status, error: { ...asObject(holder.error), message: message || noMessage } };
  }
  const failure = dialect === 'responses' ? findStatusFailure(body) : findChoiceFailure(choice);
  return failure && { status: failure.status, error: { message: failure.message } };
}

export const noMessage = 'The upstream reported an error without a message.';

/**
 * Parses the body of an error response, or any object with an `error`. The message is empty if
 * there is none. If the status is not known, it is the one that the code or type stands for.
 */
export function parseUpstreamError(body: unknown, status?: number): UpstreamError {
  const { type, code, param } = asObject(asObject(body).error);
  return {
    status: status ?? statusOf(code) ?? statusOf(type) ?? 502,
    message: findErrorMessage(body) ?? '',
    type: asText(type),
    code: asText(code),
    param: asText(param),
  };
}

/** OpenRouter's codes are statuses, some as text. */
function statusOf(code: unknown): number | undefined {
  const status = Number(code);
  if (Number.isInteger(status) && status >= 400 && status < 600) return status;
  return typeof code === 'string' ? statuses.get(code) : undefined;
}

const statuses: ReadonlyMap<string, number> = new Map([
  ['invalid_request_error', 400],
  ['invalid_prompt', 400],
  ['context_length_exceeded', 400],
  ['authentication_error', 401],
  ['billing_error', 402],
  ['permission_error', 403],
  ['not_found_error', 404],
  ['request_too_large', 413],
  ['rate_limit_error', 429],
  ['rate_limit_exceeded', 429],
  ['insufficient_quota', 429],
  ['timeout_error', 504],
  ['overloaded_error', 529],
]);

/** Gives an error the status, the code and the words that clients of a dialect recognize. */
export function adaptError(error: UpstreamError, to: Dialect): UpstreamError {
  const { message } = error;
  const status = statusIn(to, error.status);
  if (!isPromptTooLong(error)) return { ...error, status };
  if (to !== 'messages') return { ...error, status, code: tooLongCode };
  // Claude Code looks for these words before it compacts the conversation.
  const isRecognized = message.toLowerCase().includes(tooLongWords);
  return { ...error, status, message: isRecognized ? message : `${tooLongWords}: ${message}` };
}

/** Only Anthropic has a status of its own for an overloaded server. */
function statusIn(to: Dialect, status: number): number {
  if (to === 'messages') return status === unavailable ? overloaded : status;
  return status === overloaded ? unavailable : status;
}

const unavailable = 503;
const overloaded = 529;

function isPromptTooLong({ status, code, message }: UpstreamError): boolean {
  if (status !== 400 && status !== 413 && status !== 422) return false;
  // The expression backtracks, and nothing bounds what an upstream may send.
  return code === tooLongCode || tooLongMessages.test(message.slice(0, inspectedCharactersMax));
}

const tooLongCode = 'context_length_exceeded';
const tooLongWords = 'prompt is too long';
const inspectedCharactersMax = 1_000;

/** The wording of Anthropic, OpenAI, Mistral, Gemini, vLLM, SGLang, llama.cpp and Ollama. */
const tooLongMessages =
  /(?:prompt|input) (?:is )?too long|(?:exceed|longer than|maximum|too large).*context (?:length|window|size|limit)|context (?:length|window|size|limit).*exceed|exceeds the maximum number of tokens/i;
