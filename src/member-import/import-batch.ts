import type { ImportedMember } from '../api/members.ts';
import type { LineRange, Outcome } from './import-report.ts';
import type { ListedPerson } from './people-parser.ts';

export interface LocatedPerson extends LineRange {
  readonly person: ListedPerson;
}

export interface PersonOutcome extends LineRange {
  readonly outcome: Outcome;
  /** Set for `refused` and `differs`; continues a sentence that begins with the line. */
  readonly problem: string | undefined;
}

/**
 * Imports one batch, and gets as many people in as possible. If the server rejects the request
 * because of some people, they are reported as refused and the others are sent again without them.
 * Each round removes at least one person, so it ends. An error that names nobody is rethrown.
 */
export async function importBatch(
  people: readonly LocatedPerson[],
  post: (people: readonly ListedPerson[]) => Promise<readonly ImportedMember[]>,
): Promise<readonly PersonOutcome[]> {
  const refused: PersonOutcome[] = [];
  let remaining = people;
  while (remaining.length > 0) {
    try {
      return [...refused, ...outcomesOf(remaining, await post(remaining.map(({ person }) => person)))];
    } catch (error) {
      const problems = problemsByIndex(error);
      const isRefused = (_: LocatedPerson, index: number) => problems.has(index);
      if (!remaining.some(isRefused)) throw error;
      refused.push(...remaining.flatMap((lines, index) => refusal(lines, problems.get(index))));
      remaining = remaining.filter((person, index) => !isRefused(person, index));
    }
  }
  return refused;
}

function refusal({ line, lastLine }: LineRange, problem: string | undefined): readonly PersonOutcome[] {
  return problem === undefined ? [] : [{ line, lastLine, outcome: 'refused', problem }];
}

/** The server returns one result per person, in the order of the request. */
function outcomesOf(
  people: readonly LocatedPerson[],
  results: readonly ImportedMember[],
): readonly PersonOutcome[] {
  return results.flatMap((result, index) => {
    const lines = people[index];
    if (lines === undefined) return [];
    const { line, lastLine } = lines;
    return [{ line, lastLine, outcome: result.outcome, problem: problemOf(result) }];
  });
}

function problemOf({ email, outcome, message }: ImportedMember): string | undefined {
  if (outcome === 'differs') return message ?? `${email} is a member with a different name or role`;
  if (outcome !== 'refused') return undefined;
  // Name the person, unless the server's message already does.
  const reason = message ?? 'rejected by the server';
  return reason.includes(email) ? reason : `${email}: ${reason}`;
}

/** The path "/members/17/email" refers to the person at index 17 of the request. */
function problemsByIndex(error: unknown): ReadonlyMap<number, string> {
  const problems = new Map<number, string>();
  for (const { path, message } of hasIssues(error) ? error.issues : []) {
    const [, index, field = ''] = /^\/members\/(\d+)(?:\/(.*))?$/s.exec(path) ?? [];
    if (index === undefined) continue;
    const earlier = problems.get(Number(index));
    const problem = `${field} ${message}`.trim();
    problems.set(Number(index), earlier === undefined ? problem : `${earlier}; ${problem}`);
  }
  return problems;
}

interface WithIssues {
  readonly issues: readonly { readonly path: string; readonly message: string }[];
}

/** By shape, because the command line and the dashboard throw different classes. */
function hasIssues(error: unknown): error is WithIssues {
  return error instanceof Error && 'issues' in error && Array.isArray(error.issues);
}
