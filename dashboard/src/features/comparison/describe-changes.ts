import { formatCount } from '../../components/text.ts';
import { valueAsText } from '../version-content/describe-variable.ts';
import { compareConfigs, type FieldComparison } from './compare-configs.ts';
import { compareExtensions } from './compare-extensions.ts';
import { compareLines } from './compare-lines.ts';
import type { ComparedVersion } from './version-diff.tsx';

/** More phrases than this would not be read. */
const phrasesMax = 6;

/**
 * What changed between two versions, in phrases such as "temperature 0.2 → 0.7", "+1 tool" and "12
 * lines of prompt". Empty if they do the same.
 */
export function describeChanges(from: ComparedVersion, to: ComparedVersion): readonly string[] {
  const fields = compareConfigs(from.config, to.config).filter(({ kind }) => kind !== 'same');
  const isOfTool = ({ path }: FieldComparison) => /^tools( ›|$)/.test(path);
  const phrases = [
    ...(from.dialect === to.dialect ? [] : [`format ${from.dialect} → ${to.dialect}`]),
    ...new Set(fields.filter((field) => !isOfTool(field)).map(describeField)),
    ...describeTools(fields.filter(isOfTool), from.config.tools, to.config.tools),
    ...describePrompt(from.system_prompt ?? '', to.system_prompt ?? ''),
    ...compareExtensions(from.presetd, to.presetd).flatMap(({ title, fields: changed, texts }) =>
      changed.length > 0 || texts !== undefined ? [title.toLowerCase()] : [],
    ),
  ];
  const rest = phrases.length - phrasesMax;
  return rest > 1 ? [...phrases.slice(0, phrasesMax), `${rest} more`] : phrases;
}

/** A path with more parts than this says less than the field that it is in. */
const pathPartsMax = 3;

function describeField({ path, kind, from, to }: FieldComparison): string {
  const [name = path, ...inside] = path.split(/\.| › /);
  if (inside.length >= pathPartsMax) return `${name} changed`;
  if (kind === 'added') return `${path} ${shortValue(to)}`.trim();
  if (kind === 'removed') return `no ${path}`;
  const [before, after] = [shortValue(from), shortValue(to)];
  return before === '' || after === '' ? path : `${path} ${before} → ${after}`;
}

/** Empty for values that are too long to read in a line. */
function shortValue(value: unknown): string {
  const text = valueAsText(value) ?? '';
  return text.length > 40 ? '' : text;
}

function describeTools(fields: readonly FieldComparison[], from: unknown, to: unknown): readonly string[] {
  if (fields.length === 0) return [];
  const [before, after] = [from, to].map((tools) => (Array.isArray(tools) ? tools.length : 0));
  const difference = (after ?? 0) - (before ?? 0);
  if (difference === 0) return ['tools changed'];
  const count = formatCount(Math.abs(difference), 'tool', 'tools');
  return [`${difference > 0 ? '+' : '−'}${count}`];
}

function describePrompt(from: string, to: string): readonly string[] {
  if (from === to) return [];
  if (from === '') return ['new system prompt'];
  if (to === '') return ['no system prompt'];
  const changed = compareLines(from, to).pairs.filter(({ isSame }) => !isSame).length;
  return [`${formatCount(changed, 'line', 'lines')} of prompt`];
}
