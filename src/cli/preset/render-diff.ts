import type { Diff, PresetVersion } from '../../client/preset-answers.ts';
import { oneLine, printable } from '../../client/printable.ts';
import type { Paint } from '../paint.ts';
import { expandPatch } from './expand-patch.ts';

/** The change from a version to another, with the signs and colours of a unified diff. Uses up the config. */
export function renderDiff(
  slug: string,
  { from, to, config_patch, system_prompt_diff, coarse = [] }: Diff,
  config: PresetVersion['config'],
  paint: Paint,
): string {
  if (config_patch.length === 0 && system_prompt_diff === null)
    return `${slug}@${from.version} and ${slug}@${to.version} are the same.`;
  const configLines = expandPatch(config, config_patch).flatMap(({ path, before, after }) => [
    ...(before === undefined ? [] : [paint('red', `- ${place(path)} ${shown(before)}`)]),
    ...(after === undefined ? [] : [paint('green', `+ ${place(path)} ${shown(after)}`)]),
  ]);
  const promptLines = printable(system_prompt_diff ?? '')
    .replace(/\n$/, '')
    .split('\n')
    // Both parts tell the same two versions, so that one heading is enough.
    .filter((line, index) => index > 1 || !/^(---|\+\+\+) /.test(line));
  return [
    paint('bold', `${slug}@${from.version} → ${slug}@${to.version}`),
    ...(configLines.length > 0
      ? ['', paint('bold', 'Config'), ...coarseNote(coarse, 'config_patch'), ...configLines]
      : []),
    ...(system_prompt_diff === null
      ? []
      : [
          '',
          paint('bold', 'System prompt'),
          ...coarseNote(coarse, 'system_prompt_diff'),
          ...telling(promptLines).map((line) => paintLine(line, paint)),
        ]),
  ].join('\n');
}

function coarseNote(coarse: readonly string[], part: string): readonly string[] {
  return coarse.includes(part)
    ? ['Too much changed to compare in detail; some unchanged parts are shown.']
    : [];
}

function place(path: string): string {
  return `${oneLine(path)}:`;
}

function shown(value: unknown): string {
  return oneLine(JSON.stringify(value));
}

/** That the last line lacks its line feed is worth a word where it lacks on one side only. */
function telling(lines: readonly string[]): readonly string[] {
  const isSame = lacksLineFeed(lines, '-') === lacksLineFeed(lines, '+');
  return isSame ? lines.filter((line) => !isMarker(line)) : lines;
}

/** Whether a side of the change ends without a line feed, as nothing at all does too. */
function lacksLineFeed(lines: readonly string[], side: '-' | '+'): boolean {
  const last = lines.findLastIndex((line) => line.startsWith(side) || line.startsWith(' '));
  return last === -1 || isMarker(lines[last + 1]);
}

/** "\ No newline at end of file" */
function isMarker(line = ''): boolean {
  return line.startsWith('\\');
}

function paintLine(line: string, paint: Paint): string {
  if (line.startsWith('@@')) return paint('cyan', line);
  if (line.startsWith('+')) return paint('green', line);
  return line.startsWith('-') ? paint('red', line) : line;
}
