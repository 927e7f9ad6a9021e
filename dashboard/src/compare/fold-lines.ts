import type { LinePair } from './compare-lines.ts';

/** A section of a diff: lines to show, or unchanged lines that are folded away. */
export interface Section {
  readonly isFolded: boolean;
  readonly pairs: readonly LinePair[];
}

/** Unchanged lines shown around a change, as in a unified diff. */
const contextLines = 3;

/** Folding fewer lines would save no space, since the fold itself takes a row. */
const foldMin = 3;

/** Splits a diff into sections and folds what is far from every change. */
export function foldLines(pairs: readonly LinePair[]): readonly Section[] {
  const sections: Section[] = [];
  for (const run of runsOf(pairs)) {
    const before = run.start === 0 ? 0 : contextLines;
    const after = run.end === pairs.length ? 0 : contextLines;
    if (!run.isSame || run.end - run.start - before - after < foldMin) {
      sections.push({ isFolded: false, pairs: pairs.slice(run.start, run.end) });
      continue;
    }
    sections.push({ isFolded: false, pairs: pairs.slice(run.start, run.start + before) });
    sections.push({ isFolded: true, pairs: pairs.slice(run.start + before, run.end - after) });
    sections.push({ isFolded: false, pairs: pairs.slice(run.end - after, run.end) });
  }
  return mergeShown(sections);
}

interface Run {
  readonly isSame: boolean;
  readonly start: number;
  readonly end: number;
}

/** Maximal runs of lines that are all unchanged, or all changed. */
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

/** Joins adjacent visible sections and drops empty ones. */
function mergeShown(sections: readonly Section[]): readonly Section[] {
  const all: Section[] = [];
  for (const { isFolded, pairs } of sections) {
    if (pairs.length === 0) continue;
    const last = all.at(-1);
    if (last !== undefined && !last.isFolded && !isFolded)
      all[all.length - 1] = { isFolded, pairs: [...last.pairs, ...pairs] };
    else all.push({ isFolded, pairs });
  }
  return all;
}
