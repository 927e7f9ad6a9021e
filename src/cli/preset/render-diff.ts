import type { Diff, PresetVersion } from '../../client/preset-answers.ts';
import { oneLine, printable } from '../../client/printable.ts';
import type { Paint } from '../paint.ts';
import { expandPatch } from './expand-patch.ts';

/**
 * Renders a diff with the signs and colors of a unified diff. `config` is the config of the older
 * version; it is modified while the patch is applied to it.
 */
export function renderDiff(
  slug: string,
  { from, to, config_patch, system_prompt_diff, coarse = [] }: Diff,
  config: PresetVersion['config'],
  paint: Paint,
): string {
  if (config_patch.length === 0 && system_prompt_diff === null)
    return `${slug}@${from.version} and ${slug}@${to.version} are identical.`;
  const configLines = expandPatch(config, config_patch).flatMap(({ path, before, after }) => [
    ...(before === undefined ? [] : [paint('red', `- ${oneLine(path)}: ${formatValue(before)}`)]),
    ...(after === undefined ? [] : [paint('green', `+ ${oneLine(path)}: ${formatValue(after)}`)]),
  ]);
  const promptLines = printable(system_prompt_diff ?? '')
    .replace(/\n$/, '')
    .split('\n')
    // Drop the file header of the unified diff: the title already names both versions.
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
          ...dropRedundantMarkers(promptLines).map((line) => paintLine(line, paint)),
        ]),
  ].join('\n');
}

/** The server bounds the work of a comparison, and marks the parts that it did not finish. */
function coarseNote(coarse: readonly string[], part: string): readonly string[] {
  return coarse.includes(part)
    ? ['Too much changed to compare in detail; some unchanged parts are shown.']
    : [];
}

function formatValue(value: unknown): string {
  return oneLine(JSON.stringify(value));
}

/**
 * Most prompts end without a line feed, so a unified diff marks both sides of nearly every change
 * at the end. The markers are kept only if the sides differ in this.
 */
function dropRedundantMarkers(lines: readonly string[]): readonly string[] {
  const isSame = lacksLineFeed(lines, '-') === lacksLineFeed(lines, '+');
  return isSame ? lines.filter((line) => !isNoNewlineMarker(line)) : lines;
}

/** Whether one side of the diff ends without a line feed. An empty side counts as such. */
function lacksLineFeed(lines: readonly string[], side: '-' | '+'): boolean {
  const last = lines.findLastIndex((line) => line.startsWith(side) || line.startsWith(' '));
  return last === -1 || isNoNewlineMarker(lines[last + 1]);
}

/** "\ No newline at end of file" */
function isNoNewlineMarker(line = ''): boolean {
  return line.startsWith('\\');
}

function paintLine(line: string, paint: Paint): string {
  if (line.startsWith('@@')) return paint('cyan', line);
  if (line.startsWith('+')) return paint('green', line);
  return line.startsWith('-') ? paint('red', line) : line;
}
