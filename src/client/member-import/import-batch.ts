import type { LineRange } from './line-report.ts';
import type { ImportedMember, Outcome } from './member-tally.ts';
import type { Person } from './people-parser.ts';

/** As many as the server takes at once. */
export const batchSize = 500;

export interface LocatedPerson extends LineRange {
  readonly person: Person;
}

export interface PersonOutcome extends LineRange {
  readonly outcome: Outcome;
  /** Of those who were refused or differ: the rest of a sentence that begins with their line. */
  readonly problem: string | undefined;
}

/**
 * Sends people together. What the server finds wrong with some of them is told of their lines, and the others are sent
 * again without them. Whatever else `post` throws is thrown on.
 */
export async function importBatch(
  people: readonly LocatedPerson[],
  post: (people: readonly Person[]) => Promise<readonly ImportedMember[]>,
): Promise<readonly PersonOutcome[]> {
  const refused: PersonOutcome[] = [];
  let rest = people;
  while (rest.length > 0) {
    try {
      return [...refused, ...outcomesOf(rest, await post(rest.map(({ person }) => person)))];
    } catch (error) {
      const problems = problemsByIndex(error);
      const isRefused = (_: LocatedPerson, index: number) => problems.has(index);
      if (!rest.some(isRefused)) throw error;
      refused.push(...rest.flatMap((place, index) => refusal(place, problems.get(index))));
      rest = rest.filter((person, index) => !isRefused(person, index));
    }
  }
  return refused;
}

function refusal({ line, lastLine }: LineRange, problem: string | undefined): readonly PersonOutcome[] {
  return problem === undefined ? [] : [{ line, lastLine, outcome: 'refused', problem }];
}

function outcomesOf(
  people: readonly LocatedPerson[],
  results: readonly ImportedMember[],
): readonly PersonOutcome[] {
  return results.flatMap((result, index) => {
    const place = people[index];
    if (place === undefined) return [];
    const { line, lastLine } = place;
    return [{ line, lastLine, outcome: result.outcome, problem: problemOf(result) }];
  });
}

function problemOf({ email, outcome, message }: ImportedMember): string | undefined {
  if (outcome === 'differs') return message ?? `${email} is a member with another name or role`;
  if (outcome !== 'refused') return undefined;
  // Says who is meant, unless the server has.
  const reason = message ?? 'the server refuses it';
  return reason.includes(email) ? reason : `${email}: ${reason}`;
}

/** "/members/17/email must be …" is about the person with the index 17 of the request. */
function problemsByIndex(error: unknown): ReadonlyMap<number, string> {
  const problems = new Map<number, string>();
  for (const { path, message } of hasIssues(error) ? error.issues : []) {
    const [, index, field = ''] = /^\/members\/(\d+)(?:\/(.*))?$/s.exec(path) ?? [];
    if (index === undefined) continue;
    const before = problems.get(Number(index));
    const problem = `${field} ${message}`.trim();
    problems.set(Number(index), before === undefined ? problem : `${before}; ${problem}`);
  }
  return problems;
}

interface WithIssues {
  readonly issues: readonly { readonly path: string; readonly message: string }[];
}

function hasIssues(error: unknown): error is WithIssues {
  return error instanceof Error && 'issues' in error && Array.isArray(error.issues);
}
