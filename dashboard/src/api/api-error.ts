/** One thing that is wrong with a request, at a JSON Pointer. */
export interface Issue {
  readonly path: string;
  readonly message: string;
}

/** What the server says against a request. A status of 0 means that it did not answer at all. */
export class ApiError extends Error {
  readonly status: number;
  readonly issues: readonly Issue[];
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

export function isStatus(error: unknown, status: number): error is ApiError {
  return error instanceof ApiError && error.status === status;
}

/** The error of an answer; what does not speak as presetd does is named by its status. */
export function errorOf(status: number, text: string): ApiError {
  const answer = parseErrorAnswer(text);
  if (answer === undefined)
    return new ApiError(status, `The server answered with status ${status}, and not as presetd does.`);
  const { message, metadata } = answer.error;
  return new ApiError(status, message, { issues: metadata?.issues ?? [], requestId: metadata?.request_id });
}

interface ErrorAnswer {
  readonly error: {
    readonly message: string;
    readonly metadata?: { readonly issues?: readonly Issue[]; readonly request_id?: string };
  };
}

function parseErrorAnswer(text: string): ErrorAnswer | undefined {
  try {
    const answer: ErrorAnswer | null = JSON.parse(text);
    return typeof answer?.error?.message === 'string' ? answer : undefined;
  } catch {
    return undefined;
  }
}
