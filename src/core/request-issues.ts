import { type ErrorCode, type Issue, PresetdError } from './errors.ts';
import { nameProblem } from './text/name.ts';
import { textProblem } from './text/storable-text.ts';

/** Bounds the length of an error response. */
export const issuesMax = 50;

/** Throws `invalid_request` for rules that a JSON schema cannot express, if any is broken. */
export function assertNoIssues(issues: readonly Issue[]): void {
  if (issues.length > 0) throw invalidBody(issues);
}

/** The `invalid_request` error for at least one issue. Its message names the first issue. */
export function invalidBody(issues: readonly Issue[], code?: ErrorCode): PresetdError {
  const [first] = issues;
  const more = issues.length > 1 ? `; and ${issues.length - 1} more` : '';
  return new PresetdError(
    'invalid_request',
    `The request body is not valid: ${`${first?.path} ${first?.message}`.trim()}${more}.`,
    { issues: issues.slice(0, issuesMax), code },
  );
}

/** The `invalid_request` error for one field. The message continues its path: "must be …". */
export function invalidField(path: string, message: string): PresetdError {
  return invalidBody([{ path, message }]);
}

/** Throws `invalidField` if there is a problem. */
export function assertValidField(path: string, problem: string | undefined): void {
  if (problem !== undefined) throw invalidField(path, problem);
}

/** See `nameProblem` for the rule. */
export function assertValidName(path: string, name: string): void {
  assertValidField(path, nameProblem(name));
}

/** Throws for text that one of the engines cannot store. Absent text is fine. */
export function assertStorableText(path: string, text: string | null | undefined): void {
  assertValidField(path, typeof text === 'string' ? textProblem(text) : undefined);
}

/**
 * Whether both engines accept the text, even as a query parameter. Text that fails this check
 * cannot be the id or name of anything stored.
 */
export function isStorableText(text: string): boolean {
  return textProblem(text) === undefined;
}
