interface FuzzyMatch {
  /** Higher is better. Comparable between texts for the same query. */
  readonly score: number;
  /** Indices of the matched letters, to highlight them. */
  readonly positions: readonly number[];
}

/** More is neither typed nor shown, and the work grows with the product of both. */
const lengthMax = 100;

const adjacentBonus = 4;
const wordStartBonus = 3;
/** Per letter. Rejects letters that are merely scattered over the text. */
const scoreMin = 2;

/** A letter of the query at some place of the text, and the best way to get there. */
interface Step {
  readonly score: number;
  readonly at: number;
  readonly before: Step | undefined;
}

/**
 * Finds the letters of the query in the text, in order, but not necessarily next to each other:
 * "np" finds "New preset". Of all ways to do so it takes the one with the most letters at the start
 * of words and next to each other. Undefined if a letter is missing, or if too few are at such
 * places. Spaces in the query are ignored.
 */
export function fuzzyMatch(query: string, text: string): FuzzyMatch | undefined {
  const letters = query.toLowerCase().replaceAll(/\s+/g, '').slice(0, lengthMax);
  const lower = text.toLowerCase();
  // Some letters change their length, such as İ, and then positions would not fit the text.
  const searched = (lower.length === text.length ? lower : text).slice(0, lengthMax);
  let steps: readonly (Step | undefined)[] = [];
  for (const [index, letter] of letters.split('').entries())
    steps = nextSteps(steps, letter, searched, index === 0);
  if (letters === '') return { score: 0, positions: [] };
  const last = bestOf(steps);
  if (last === undefined || last.score < scoreMin * letters.length) return undefined;
  const positions: number[] = [];
  for (let step: Step | undefined = last; step !== undefined; step = step.before) positions.unshift(step.at);
  // Of two equal matches, the shorter text is closer to what was typed.
  return { score: last.score - searched.length / 1_000, positions };
}

/** For each place of the text that has this letter, the best way to reach it. */
function nextSteps(
  previous: readonly (Step | undefined)[],
  letter: string,
  text: string,
  isFirst: boolean,
): readonly (Step | undefined)[] {
  let best: Step | undefined;
  return text.split('').map((character, at) => {
    const adjacent = previous[at - 1];
    const skipped = best;
    best = better(best, adjacent);
    if (character !== letter || (!isFirst && best === undefined)) return undefined;
    const bonus = isWordStart(text, at) ? wordStartBonus : 0;
    return better(
      adjacent && { score: adjacent.score + adjacentBonus, at, before: adjacent },
      isFirst || skipped ? { score: (skipped?.score ?? 0) + bonus, at, before: skipped } : undefined,
    );
  });
}

function bestOf(steps: readonly (Step | undefined)[]): Step | undefined {
  return steps.reduce(better, undefined);
}

function better(one: Step | undefined, other: Step | undefined): Step | undefined {
  return one === undefined || (other !== undefined && other.score > one.score) ? other : one;
}

function isWordStart(text: string, index: number): boolean {
  return index === 0 || !/[\p{L}\p{N}]/u.test(text[index - 1] ?? '');
}
