import { type CooperativeTask, createYieldCheck } from '../concurrency/cooperative-task.ts';
import { alignSequences, countEqualEnds, createAlignmentBudget, type Gap } from './align-sequences.ts';

/** Bounds for lines outside the common prefix and suffix, and for the work of aligning them. */
const limits = { lines: 60_000, alignmentUnits: 1_000_000 };

const contextLines = 3;

interface NamedText {
  readonly name: string;
  readonly text: string;
}

interface UnifiedDiff {
  /** Null if the texts are equal. */
  readonly text: string | null;
  /**
   * True if a limit was exceeded and everything between the common prefix and suffix is replaced.
   */
  readonly isCoarse: boolean;
}

/** Compares two texts line by line. A coarse diff is still correct, only longer than necessary. */
export function* unifiedDiff(from: NamedText, to: NamedText): CooperativeTask<UnifiedDiff> {
  if (from.text === to.text) return { text: null, isCoarse: false };
  const before = linesOf(from.text);
  yield;
  const after = linesOf(to.text);
  yield;
  const { gaps, isMinimal } = yield* alignLines(before, after);
  const hunks = yield* renderHunks(before, after, gaps);
  return { text: `--- ${from.name}\n+++ ${to.name}\n${hunks}`, isCoarse: !isMinimal };
}

/**
 * Splits text into lines. A last line without a line feed includes the "No newline" marker of the
 * diff format, so it differs from the same line with a line feed, and is rendered correctly as it
 * is.
 */
function linesOf(text: string): readonly string[] {
  const lines = text.split('\n');
  const last = lines.pop();
  if (last !== undefined && last !== '') lines.push(`${last}\n\\ No newline at end of file`);
  return lines;
}

function* alignLines(
  before: readonly string[],
  after: readonly string[],
): CooperativeTask<{ readonly gaps: readonly Gap[]; readonly isMinimal: boolean }> {
  const { start, end } = countEqualEnds(before, after);
  const middle = {
    fromStart: start,
    fromEnd: before.length - end,
    toStart: start,
    toEnd: after.length - end,
  };
  const isOneSided = middle.fromEnd === start || middle.toEnd === start;
  if (isOneSided || middle.fromEnd + middle.toEnd - 2 * start > limits.lines)
    return { gaps: [middle], isMinimal: isOneSided };
  const numbers = new Map<string, number>();
  const from = yield* numberLines(before.slice(start, middle.fromEnd), numbers);
  const to = yield* numberLines(after.slice(start, middle.toEnd), numbers);
  const budget = createAlignmentBudget(limits.alignmentUnits);
  const { gaps, isMinimal } = yield* alignSequences(from, to, budget);
  return { gaps: gaps.map((gap) => shifted(gap, start)), isMinimal };
}

/** Maps equal lines to equal numbers. */
function* numberLines(
  lines: readonly string[],
  numbers: Map<string, number>,
): CooperativeTask<readonly number[]> {
  const found: number[] = [];
  const shouldYield = createYieldCheck(10_000);
  for (const line of lines) {
    const number = numbers.get(line) ?? numbers.size;
    numbers.set(line, number);
    found.push(number);
    if (shouldYield()) yield;
  }
  return found;
}

function shifted({ fromStart, fromEnd, toStart, toEnd }: Gap, by: number): Gap {
  return { fromStart: fromStart + by, fromEnd: fromEnd + by, toStart: toStart + by, toEnd: toEnd + by };
}

/**
 * Renders the hunks as text. Output is joined in batches, since a text can have a million lines.
 */
function* renderHunks(
  before: readonly string[],
  after: readonly string[],
  gaps: readonly Gap[],
): CooperativeTask<string> {
  const parts: string[] = [];
  const shouldYield = createYieldCheck(50_000);
  function* write(sign: string, lines: readonly string[], start: number, end: number): CooperativeTask<void> {
    for (let at = start; at < end; at += 50_000) {
      const batch = lines.slice(at, Math.min(at + 50_000, end));
      parts.push(sign, batch.join(`\n${sign}`), '\n');
      if (shouldYield(batch.length)) yield;
    }
  }
  for (const hunk of hunksOf(gaps)) {
    const [first, last] = [hunk[0], hunk.at(-1)];
    if (first === undefined || last === undefined) continue;
    const lead = Math.min(contextLines, first.fromStart);
    const trail = Math.min(contextLines, before.length - last.fromEnd);
    const from = range(first.fromStart - lead, last.fromEnd + trail);
    parts.push(`@@ -${from} +${range(first.toStart - lead, last.toEnd + trail)} @@\n`);
    let at = first.fromStart - lead;
    for (const gap of hunk) {
      yield* write(' ', before, at, gap.fromStart);
      yield* write('-', before, gap.fromStart, gap.fromEnd);
      yield* write('+', after, gap.toStart, gap.toEnd);
      at = gap.fromEnd;
    }
    yield* write(' ', before, at, at + trail);
  }
  return parts.join('');
}

/** Groups gaps whose context lines would touch or overlap into one hunk. */
function hunksOf(gaps: readonly Gap[]): readonly (readonly Gap[])[] {
  const hunks: Gap[][] = [];
  for (const gap of gaps) {
    const hunk = hunks.at(-1);
    const last = hunk?.at(-1);
    if (hunk !== undefined && last !== undefined && gap.fromStart - last.fromEnd <= 2 * contextLines)
      hunk.push(gap);
    else hunks.push([gap]);
  }
  return hunks;
}

/** "first,count". For an empty range, the format wants the line before it. */
function range(start: number, end: number): string {
  return end > start ? `${start + 1},${end - start}` : `${start},0`;
}
