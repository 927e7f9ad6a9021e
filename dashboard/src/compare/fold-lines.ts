import type { LinePair } from './compare-lines.ts';

/** A part of a comparison: lines to show, or unchanged ones between them that are folded. */
export interface Stretch {
  readonly isFolded: boolean;
  readonly pairs: readonly LinePair[];
}

/** How many unchanged lines stay around a change, so that one can see where it is. */
const contextLines = 3;

/** Fewer than these take hardly more room than what tells of them. */
const foldedMin = 3;

/** Folds what is far from every change. */
export function foldLines(pairs: readonly LinePair[]): readonly Stretch[] {
  const stretches: Stretch[] = [];
  for (const run of runsOf(pairs)) {
    const before = run.start === 0 ? 0 : contextLines;
    const after = run.end === pairs.length ? 0 : contextLines;
    if (!run.isSame || run.end - run.start - before - after < foldedMin) {
      stretches.push({ isFolded: false, pairs: pairs.slice(run.start, run.end) });
      continue;
    }
    stretches.push({ isFolded: false, pairs: pairs.slice(run.start, run.start + before) });
    stretches.push({ isFolded: true, pairs: pairs.slice(run.start + before, run.end - after) });
    stretches.push({ isFolded: false, pairs: pairs.slice(run.end - after, run.end) });
  }
  return joined(stretches);
}

interface Run {
  readonly isSame: boolean;
  readonly start: number;
  readonly end: number;
}

function runsOf(pairs: readonly LinePair[]): readonly Run[] {
  const runs: Run[] = [];
  for (let start = 0; start < pairs.length; ) {
    const isSame = pairs[start]?.isSame ?? false;
    let end = start;
    while (end < pairs.length && pairs[end]?.isSame === isSame) end += 1;
    runs.push({ isSame, start, end });
    start = end;
  }
  return runs;
}

function joined(stretches: readonly Stretch[]): readonly Stretch[] {
  const all: Stretch[] = [];
  for (const { isFolded, pairs } of stretches) {
    if (pairs.length === 0) continue;
    const last = all.at(-1);
    if (last !== undefined && !last.isFolded && !isFolded)
      all[all.length - 1] = { isFolded, pairs: [...last.pairs, ...pairs] };
    else all.push({ isFolded, pairs });
  }
  return all;
}
