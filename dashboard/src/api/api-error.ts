/** One validation problem in a request body. `path` is a JSON Pointer. */
export interface Issue {
  readonly path: string;
  readonly message: string;
}

/** An unsuccessful API response. Status 0 means that no usable response arrived. */
export class ApiError extends Error {
  readonly status: number;
  /** The problem of each invalid field; empty unless validation failed. */
  readonly issues: readonly Issue[];
  /** Identifies the request in the server's log; undefined if no response arrived. */
  readonly requestId: string | undefined;

  constructor(
    status: number,
    message: string,
    {
      issues = [],
      requestId,
    }: { readonly issues?: readonly Issue[]; readonly requestId?: string | undefined } = {},
  ) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.issues = issues;
    this.requestId = requestId;
  }
}

/**
 * Narrows an unknown error, such as that of a query or mutation, to an API error of this status.
 */
export function isStatus(error: unknown, status: number): error is ApiError {
  return error instanceof ApiError && error.status === status;
}

/** Whether the server could not be reached or could not answer, and may do so later. */
export function isTemporary(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500);
}

/**
 * The server's issue with one field of the request, as a sentence in which `subject` stands for
 * the path: "The password must not be …". Undefined if it does not mention the field.
 */
export function issueOf(error: unknown, path: string, subject: string): string | undefined {
  const issue = error instanceof ApiError ? error.issues.find((each) => each.path === path) : undefined;
  return issue && `${subject} ${issue.message}.`;
}

/**
 * Builds the error from a response body. A body in any other format, such as a proxy's error page,
 * is described by its status alone.
 */
export function parseApiError(status: number, text: string): ApiError {
  const body = parseErrorBody(text);
  if (body === undefined)
    return new ApiError(status, `The server returned status ${status} without a presetd error message.`);
  const { message, metadata } = body.error;
  return new ApiError(status, message, { issues: metadata?.issues ?? [], requestId: metadata?.request_id });
}

/** The part of presetd's error format that the pages use. */
interface ErrorBody {
  readonly error: {
    readonly message: string;
    readonly metadata?: { readonly issues?: readonly Issue[]; readonly request_id?: string };
  };
}

/** Undefined for anything that is not presetd's error format. */
function parseErrorBody(text: string): ErrorBody | undefined {
  try {
    const body: ErrorBody | null = JSON.parse(text);
    return typeof body?.error?.message === 'string' ? body : undefined;
  } catch {
    return undefined;
  }
}
