import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import { jsonPatchBetween } from './json-patch.ts';
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
    configPatchJson: jsonPatchBetween(from.configJson, to.configJson),
    systemPromptDiff: textDiff(
      { name: `${slug}@${from.version}`, text: from.systemPrompt ?? '' },
      { name: `${slug}@${to.version}`, text: to.systemPrompt ?? '' },
    ),
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
    `--- ${from.name}\n+++ ${to.name}\n@@ -${removed.range} +${added.range} @@\n`,
    removed.text,
    added.text,
  ].join('');
}

function linesOf(text: string, sign: string): { readonly text: string; readonly range: string } {
  if (text === '') return { text: '', range: '0,0' };
  const isTerminated = text.endsWith('\n');
  const lines = (isTerminated ? text.slice(0, -1) : text).split('\n');
  const end = isTerminated ? '' : '\\ No newline at end of file\n';
  return { text: lines.map((line) => `${sign}${line}\n`).join('') + end, range: `1,${lines.length}` };
}
