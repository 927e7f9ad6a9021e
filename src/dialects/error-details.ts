import type { Issue } from '../core/errors.ts';
import { isJsonObject, type JsonObject } from './json-object.ts';

/** What went wrong with a call, before it is put into the words of a dialect. */
export interface ErrorDetails {
  readonly status: number;
  readonly message: string;
  readonly requestId: string;
  /** The owner of the key that the call was made with. */
  readonly userId?: string;
  readonly issues?: readonly Issue[];
}

/** Not the fault of the request, and explained by the log like a 5xx. */
const misconfigured = 424;

/** The body of an error in both of OpenAI's dialects, as OpenRouter shapes it. */
export function standardErrorBody({ status, message, requestId, userId, issues }: ErrorDetails): object {
  const metadata = {
    ...(issues !== undefined && { issues }),
    ...((status >= 500 || status === misconfigured) && { request_id: requestId }),
  };
  return {
    error: { code: status, message, ...(Object.keys(metadata).length > 0 && { metadata }) },
    ...(userId !== undefined && { user_id: userId }),
  };
}

/** Clients of both OpenAI dialects find the message there; the other fields differ by upstream. */
export function isStandardErrorBody(value: unknown): boolean {
  return isJsonObject(value) && isJsonObject(value.error) && typeof value.error.message === 'string';
}

/** The message in an error of any upstream that is known, whatever its dialect. */
export function findErrorMessage(value: unknown): string | undefined {
  if (!isJsonObject(value)) return undefined;
  const { error, message, detail } = value;
  const nested = isJsonObject(error) ? error.message : error;
  return [nested, message, detail, detailIn(detail)].find(isText);
}

/** FastAPI lists the problems of a body, each with the way to its place. */
function detailIn(detail: unknown): string | undefined {
  if (!Array.isArray(detail)) return undefined;
  const problems = detail.filter(isJsonObject).flatMap(describeProblem);
  return problems.length === 0 ? undefined : problems.join('; ');
}

function describeProblem({ loc, msg }: JsonObject): readonly string[] {
  if (!isText(msg)) return [];
  return [Array.isArray(loc) ? `${loc.join('.')}: ${msg}` : msg];
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
