import type { Issue } from '../../core/errors.ts';
import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';

/** An error before it is written in the format of a dialect. */
export interface ErrorDetails {
  readonly status: number;
  readonly message: string;
  readonly requestId: string;
  /** The owner of the API key. */
  readonly userId?: string;
  readonly issues?: readonly Issue[];
  /** Further details for programs. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** The upstream's own error, for dialects that have fields for it. */
  readonly upstream?: UpstreamError;
}

/** An error of an upstream, independent of the dialect. */
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

/** presetd's own status for a misconfigured upstream. Like a 5xx, it is explained in the log. */
const misconfigured = 424;

/**
 * OpenRouter's error format, which both OpenAI dialects and the management API use. The request id
 * is included if the log says more about the error.
 */
export function standardErrorBody({
  status,
  message,
  requestId,
  userId,
  issues,
  metadata: known,
}: ErrorDetails): StandardErrorBody {
  const metadata = {
    ...known,
    ...(issues !== undefined && { issues }),
    ...((status >= 500 || status === misconfigured) && { request_id: requestId }),
  };
  return {
    error: { code: status, message, ...(Object.keys(metadata).length > 0 && { metadata }) },
    ...(userId !== undefined && { user_id: userId }),
  };
}

interface StandardErrorBody {
  readonly error: { readonly code: number; readonly message: string; readonly metadata?: object };
  readonly user_id?: string;
}

/** Clients of both OpenAI dialects only need the message. Other fields differ by upstream. */
export function isStandardErrorBody(value: unknown): boolean {
  return isJsonObject(value) && isJsonObject(value.error) && typeof value.error.message === 'string';
}

/** Finds the message in the error formats of all known upstreams; undefined if there is none. */
export function findErrorMessage(value: unknown): string | undefined {
  // Gemini wraps its error in a list.
  const body: unknown = Array.isArray(value) ? value[0] : value;
  if (!isJsonObject(body)) return undefined;
  const { error, message, detail } = body;
  const nested = isJsonObject(error) ? error.message : error;
  // Mistral has FastAPI's list of problems inside the message.
  const problems = isJsonObject(message) ? message.detail : detail;
  return [nested, message, detail, joinProblems(problems)].find(isNonEmptyString);
}

/** FastAPI servers, such as vLLM, return a list of problems, each with its location. */
function joinProblems(detail: unknown): string | undefined {
  if (!Array.isArray(detail)) return undefined;
  const problems = detail.filter(isJsonObject).flatMap(describeProblem);
  return problems.length === 0 ? undefined : problems.join('; ');
}

function describeProblem({ loc, msg }: JsonObject): readonly string[] {
  if (!isNonEmptyString(msg)) return [];
  return [Array.isArray(loc) ? `${loc.join('.')}: ${msg}` : msg];
}

function isNonEmptyString(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
