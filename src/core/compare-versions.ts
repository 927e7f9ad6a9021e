import { isDeepStrictEqual } from 'node:util';
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import { createPatch, type Operation } from 'rfc6902';
import { parseNumbers, rawNumber } from './json-text.ts';
import type { PresetVersion } from './preset.ts';

export interface VersionDiff {
  readonly from: number;
  readonly to: number;
  /** A JSON Patch (RFC 6902) as text, since it may hold numbers that a value would round. */
  readonly configPatchJson: string;
  /** A unified diff; null when the system prompt is the same. */
  readonly systemPromptDiff: string | null;
}

export function compareVersions(slug: string, from: PresetVersion, to: PresetVersion): VersionDiff {
  return {
    from: from.version,
    to: to.version,
    configPatchJson: patchBetween(from.configJson, to.configJson),
    systemPromptDiff: textDiff(
      { name: `${slug}@${from.version}`, text: from.systemPrompt ?? '' },
      { name: `${slug}@${to.version}`, text: to.systemPrompt ?? '' },
    ),
  };
}

/** No stored text holds U+0000, so nothing else begins like this. */
const numberMark = '\0number ';

function patchBetween(from: string, to: string): string {
  const marked = (source: string) => numberMark + source;
  const patch = createPatch(parseNumbers(from, marked), parseNumbers(to, marked), boundedDiff());
  return JSON.stringify(patch, (_key, value) =>
    typeof value === 'string' && value.startsWith(numberMark)
      ? rawNumber(value.slice(numberMark.length))
      : value,
  );
}

/** Aligning two lists takes the product of their lengths, for every pair of lists inside them again. */
const alignedPairsMax = 25_000;
const comparisonsMax = 100_000;

/** The shortest patch where it can be had in reasonable time; else the value that changed is replaced whole. */
function boundedDiff() {
  let pairsLeft = alignedPairsMax;
  let comparisonsLeft = comparisonsMax;
  return (input: unknown, output: unknown, pointer: { toString(): string }): Operation[] | undefined => {
    comparisonsLeft -= 1;
    const pairs = Array.isArray(input) && Array.isArray(output) ? input.length * output.length : 0;
    if (comparisonsLeft >= 0 && pairs <= pairsLeft) {
      pairsLeft -= pairs;
      return undefined;
    }
    if (isDeepStrictEqual(input, output)) return [];
    return [{ op: 'replace', path: pointer.toString(), value: output }];
  };
}

interface NamedText {
  readonly name: string;
  readonly text: string;
}

/** Lines that differ; finding the fewest takes its square. */
const editLinesMax = 1_000;

function textDiff(from: NamedText, to: NamedText): string | null {
  if (from.text === to.text) return null;
  const options = { context: 3, headerOptions: FILE_HEADERS_ONLY };
  const names = [from.name, to.name] as const;
  const texts = [from.text, to.text] as const;
  return (
    createTwoFilesPatch(...names, ...texts, undefined, undefined, {
      ...options,
      maxEditLength: editLinesMax,
    }) ?? replacement(from, to)
  );
}

/** A unified diff that takes every line out and puts every line in. */
function replacement(from: NamedText, to: NamedText): string {
  const removed = linesOf(from.text, '-');
  const added = linesOf(to.text, '+');
  return [
    `--- ${from.name}\n+++ ${to.name}\n@@ -1,${removed.count} +1,${added.count} @@\n`,
    removed.text,
    added.text,
  ].join('');
}

/** Only for long texts, which have lines. */
function linesOf(text: string, sign: string): { readonly text: string; readonly count: number } {
  const isTerminated = text.endsWith('\n');
  const lines = (isTerminated ? text.slice(0, -1) : text).split('\n');
  const end = isTerminated ? '' : '\\ No newline at end of file\n';
  return { text: lines.map((line) => `${sign}${line}\n`).join('') + end, count: lines.length };
}
