import type { Preset } from '../../../../src/api/presets.ts';
import { type UsageFilter, usagePath } from '../usage/usage-filter.ts';

/** The page of usage with these filters and this range of time, without runs in the workbench. */
export function callsPath(filter: UsageFilter, range: Readonly<Record<string, string>>): string {
  return `${usagePath('usage', { ...filter, purpose: 'call' })}&${new URLSearchParams(range)}`;
}

/** The usage of a version for as long as it can have any, as the numbers beside it count it. */
export function versionUsagePath(
  { slug, created_at }: Pick<Preset, 'slug' | 'created_at'>,
  version: number,
): string {
  const range = { from: created_at.slice(0, 10), to: new Date().toISOString().slice(0, 10) };
  return callsPath({ preset: slug, version: String(version) }, range);
}
