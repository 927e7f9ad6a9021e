import type { Command } from 'commander';
import type { PatchOperation, PresetVersionDetails, PresetVersionDiff } from '../api/versions.ts';
import { parsePointer } from '../core/json/json-pointer.ts';
import { oneLine, printable } from '../core/text/printable.ts';
import { type ApiOptions, apiCommandWithJson, connect, printJson } from './api-command.ts';
import { CommandError } from './command-error.ts';
import { resolveVersion, slugArgument, slugToPrint } from './preset-reference.ts';
import { type Paint, paintForStdout, print } from './ui/output.ts';

export function diffCommand(): Command {
  return apiCommandWithJson('diff')
    .description('Compare two versions of a preset')
    .addArgument(slugArgument())
    .argument(
      '[from]',
      'Version number, label, "latest" or "designated", the live version (default: the version before)',
    )
    .argument('[to]', 'The same (default: latest)')
    .action(diff);
}

async function diff(
  slug: string,
  from: string | undefined,
  to = 'latest',
  options: ApiOptions,
): Promise<void> {
  const api = connect(options);
  const [older, newer] = await Promise.all([
    from === undefined ? undefined : resolveVersion(api, slug, from),
    resolveVersion(api, slug, to),
  ]);
  if (older === undefined && newer === 1)
    throw new CommandError(`${slug} has only one version, so there is nothing to compare it with.`);
  const response = await api.call('GET /presets/:slug/versions/:version/diff', {
    params: { slug, version: newer },
    query: { against: older?.toString() },
  });
  if (options.json) return printJson(response);
  const { data } = response.content;
  // A JSON patch has only the new values; the old ones come from the older version itself.
  const [before, name] = await Promise.all([
    api.call('GET /presets/:slug/versions/:version', { params: { slug, version: data.from.version } }),
    slugToPrint(api, slug, options),
  ]);
  print(renderDiff(name, data, before.content.data, paintForStdout));
}

/**
 * Renders a diff with the signs and colors of a unified diff. `before` is the older version; its
 * objects are modified while the patches are applied to them. Servers before 0.7.0 send neither
 * `presetd_patch` nor `coarse`.
 */
export function renderDiff(
  slug: string,
  { from, to, config_patch, system_prompt_diff, presetd_patch = [], coarse = [] }: PresetVersionDiff,
  before: Pick<PresetVersionDetails, 'config' | 'presetd'>,
  paint: Paint,
): string {
  if (config_patch.length === 0 && presetd_patch.length === 0 && system_prompt_diff === null)
    return `${slug}@${from.version} and ${slug}@${to.version} are identical.`;
  const promptLines = printable(system_prompt_diff ?? '')
    .replace(/\n$/, '')
    .split('\n')
    // Drop the file header of the unified diff: the title already names both versions.
    .filter((line, index) => index > 1 || !/^(---|\+\+\+) /.test(line));
  const isNote = ({ path }: PatchOperation) => path === '/note';
  return [
    paint('bold', `${slug}@${from.version} → ${slug}@${to.version}`),
    ...section('Note', [], patchLines(before.presetd ?? {}, presetd_patch.filter(isNote), paint), paint),
    ...section(
      'Config',
      coarseNote(coarse, 'config_patch'),
      patchLines(before.config, config_patch, paint),
      paint,
    ),
    ...section(
      'System prompt',
      coarseNote(coarse, 'system_prompt_diff'),
      system_prompt_diff === null
        ? []
        : dropRedundantMarkers(promptLines).map((line) => paintLine(line, paint)),
      paint,
    ),
    ...section(
      'presetd',
      coarseNote(coarse, 'presetd_patch'),
      patchLines(
        before.presetd ?? {},
        presetd_patch.filter((operation) => !isNote(operation)),
        paint,
      ),
      paint,
    ),
  ].join('\n');
}

/** A title with lines below it; nothing without lines. */
function section(
  title: string,
  notes: readonly string[],
  lines: readonly string[],
  paint: Paint,
): readonly string[] {
  return lines.length === 0 ? [] : ['', paint('bold', title), ...notes, ...lines];
}

/** One line for each removed and each added value. Modifies `value`. */
function patchLines(value: object, patch: readonly PatchOperation[], paint: Paint): readonly string[] {
  return expandPatch(value, patch).flatMap(({ path, before, after }) => [
    ...(before === undefined ? [] : [paint('red', `- ${oneLine(path)}: ${formatValue(before)}`)]),
    ...(after === undefined ? [] : [paint('green', `+ ${oneLine(path)}: ${formatValue(after)}`)]),
  ]);
}

interface ConfigChange {
  readonly path: string;
  /** Undefined if the operation adds a value. */
  readonly before: unknown;
  /** Undefined if the operation removes a value. */
  readonly after: unknown;
}

/**
 * Adds the old value to each operation of a JSON patch, which states only the new one. The
 * operations are applied to `config` one by one, because array indexes refer to the state that the
 * previous operation left. `config` is modified.
 */
export function expandPatch(config: unknown, patch: readonly PatchOperation[]): readonly ConfigChange[] {
  return patch.map(({ op, path, value }) => {
    const segments = parsePointer(path);
    const key = segments.at(-1) ?? '';
    const parent = segments.slice(0, -1).reduce(childOf, config);
    const before = op === 'add' && Array.isArray(parent) ? undefined : childOf(parent, key);
    const after = op === 'remove' ? undefined : value;
    if (Array.isArray(parent)) changeArray(parent, op, key, after);
    else if (typeof parent === 'object' && parent !== null) changeObject(parent, key, after);
    return { path, before, after };
  });
}

/**
 * Own properties only: a config may have a key such as "constructor", which every object inherits.
 */
function childOf(parent: unknown, key: string): unknown {
  if (typeof parent !== 'object' || parent === null) return undefined;
  return Object.getOwnPropertyDescriptor(parent, key)?.value;
}

function changeArray(array: unknown[], op: string, key: string, value: unknown): void {
  const index = key === '-' ? array.length : Number(key);
  const added = op === 'remove' ? [] : [value];
  array.splice(index, op === 'add' ? 0 : 1, ...added);
}

function changeObject(object: object, key: string, value: unknown): void {
  Reflect.deleteProperty(object, key);
  // Plain assignment to "__proto__" would set the prototype instead of a property.
  if (value !== undefined)
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
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
  return isSame ? lines.filter((line) => !isNoNewlineMarker(line)) : withEqualLastLine(lines);
}

/** A line that only gained or lost its line feed is no change. Says so if nothing follows it. */
function withEqualLastLine(lines: readonly string[]): readonly string[] {
  const marker = lines.findLastIndex((line) => isNoNewlineMarker(line));
  const [sign, text] = [lines[marker - 1]?.[0], lines[marker - 1]?.slice(1)];
  // The changes at the end: nothing can follow on the side that the marker ends.
  const start = lines.findLastIndex((line) => line.startsWith(' ') || line.startsWith('@')) + 1;
  const removed = lines.slice(start).filter((line) => line.startsWith('-'));
  const added = lines.slice(start).filter((line) => line.startsWith('+'));
  const before = sign === '-' ? removed.length - 1 : removed.lastIndexOf(`-${text}`);
  const after = sign === '+' ? added.length - 1 : added.indexOf(`+${text}`);
  if (before === -1 || after === -1) return lines;
  const rest = [...removed.slice(before + 1), ...added.slice(after + 1)];
  const note = `\\ Line feed ${sign === '-' ? 'added' : 'removed'} at the end`;
  return [
    ...lines.slice(0, start),
    ...removed.slice(0, before),
    ...added.slice(0, after),
    ` ${text}`,
    ...(rest.length === 0 ? [note] : rest),
  ];
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
