import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import { asObject, asObjects } from '../../core/json/loose-json.ts';
import type { Dialect } from '../../core/presets/preset.ts';
import { dialectOf } from '../dialects.ts';
import type { ErrorDetails } from '../model/error-details.ts';
import { noMessage, parseUpstreamError } from '../model/upstream-error.ts';

/** An error response in the client's dialect. */
interface TranslatedError {
  readonly status: number;
  readonly body: object;
}

/**
 * Translates an error response. `details` has its status, and the message for a body that has none.
 * Where both dialects have the same errors, a body that is valid in one only gets what it lacks.
 */
export function translateError(
  body: unknown,
  from: Dialect,
  to: Dialect,
  details: ErrorDetails,
): TranslatedError {
  const { schemaName, isBody, adapt, write } = dialectOf[to].errors;
  if (schemaName === dialectOf[from].errors.schemaName && isBody(body)) {
    const { metadata: _, ...own } = asObject(write(details).error);
    const given = asObject(body);
    return { status: details.status, body: { ...given, error: { ...own, ...asObject(given.error) } } };
  }
  const parsed = parseUpstreamError(body, details.status);
  const error = adapt({ ...parsed, message: parsed.message || details.message });
  const { status, message } = error;
  return { status, body: write({ ...details, status, message, upstream: error }) };
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
  const failure = dialectOf[dialect].completion.findFailure(body);
  return failure && { status: failure.status, error: { message: failure.message } };
}
