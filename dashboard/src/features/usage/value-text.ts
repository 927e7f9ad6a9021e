import { type UsageDimensionName, usageDimensions } from '../../../../src/core/ledger/usage-catalog.ts';
import { type Directory, personName } from '../../api/organization.ts';
import type { UsageRow } from '../../api/usage.ts';

/** How the value of a dimension reads, in a row of sums. Ids have names beside them. */
export function valueText(dimension: UsageDimensionName, row: UsageRow, directory: Directory): string {
  const value = row[dimension] ?? null;
  if (value === null || value === '') return missing[dimension] ?? 'None';
  const text = wordsOf(dimension, String(value));
  if (text !== undefined) return text;
  const { names, label } = usageDimensions[dimension];
  if (dimension === 'preset_version') return `Version ${value}`;
  if (names === undefined) return String(value);
  const name = row[names.field];
  if (typeof name !== 'string' || name === '') return `${label} ${shortId(String(value))}, deleted`;
  const member = dimension === 'user' ? directory.get(name) : undefined;
  return (member && personName(member)) || name;
}

/** Texts for calls without a value. */
const missing: Readonly<Partial<Record<UsageDimensionName, string>>> = {
  preset: 'No preset',
  preset_version: 'No version',
  selection: 'No preset',
  label: 'No label',
  model: 'No model',
  upstream: 'No upstream',
  error_code: 'No error',
  api_key_id: 'Signed in, no key',
};

/** The words for a value that is a code; undefined for any other. */
export function wordsOf(dimension: UsageDimensionName, value: string): string | undefined {
  return usageDimensions[dimension].values?.[value];
}

/** Enough of an id to recognize it. */
export function shortId(id: string): string {
  return id.length > 12 ? `${id.slice(0, 8)}…` : id;
}
