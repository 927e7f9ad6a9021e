import { type Issue, PresetdError } from './errors.ts';
import { nameProblem } from './preset-name.ts';
import { textProblem } from './storable-text.ts';

/** What is told of a request at most. */
const issuesMax = 50;

/** What the schema of a body cannot say. */
export function assertNoIssues(issues: readonly Issue[]): void {
  if (issues.length > 0) throw invalidBody(issues);
}

/** Of at least one issue. */
export function invalidBody(issues: readonly Issue[]): PresetdError {
  const [first] = issues;
  const more = issues.length > 1 ? `; and ${issues.length - 1} more` : '';
  return new PresetdError(
    'invalid_request',
    `The request body is not valid: ${first?.path} ${first?.message}${more}.`,
    { issues: issues.slice(0, issuesMax) },
  );
}

/** The problem continues the path; undefined for none. */
export function assertValidField(path: string, problem: string | undefined): void {
  if (problem !== undefined) assertNoIssues([{ path, message: problem }]);
}

/** A name that stands in one line. */
export function assertValidName(path: string, name: string): void {
  assertValidField(path, nameProblem(name));
}

/** Text that both engines can keep. */
export function assertStorableText(path: string, text: string | null | undefined): void {
  assertValidField(path, typeof text === 'string' ? textProblem(text) : undefined);
}

/** False for what nothing can be called by, and an engine may not even be asked for. */
export function isStorableText(reference: string): boolean {
  return textProblem(reference) === undefined;
}
