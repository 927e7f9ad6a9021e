import { isLabel } from '../../../../../src/core/presets/label.ts';
import type { VersionPointers } from '../../../features/comparison/version-choice.ts';

/** Which version a caller asks for: a version number, a label, or empty for the live version. */
export type Pin = string;

/**
 * Reads a pin from the URL, which anyone may have crafted. Only a version number or a label passes,
 * because the pin ends up in commands that users copy and run.
 */
export function parsePin(text: string | null): Pin {
  if (text === null || text === 'designated') return '';
  return /^[1-9]\d{0,8}$/.test(text) || isLabel(text) ? text : '';
}

/**
 * The `model` that a caller sends. Labels begin with a letter, so a pin that begins with a digit is
 * a version.
 */
export function modelReference(slug: string, pin: Pin): string {
  if (pin === '') return `@preset/${slug}`;
  return /^\d/.test(pin) ? `@preset/${slug}@${pin}` : `@preset/${slug}:${pin}`;
}

/** Whether the preset has this version or label. */
export function pinExists(pin: Pin, { latest, labels }: VersionPointers): boolean {
  if (pin === '' || pin === 'latest') return true;
  if (/^[1-9]\d{0,8}$/.test(pin)) return Number(pin) <= latest;
  return labels.some(({ label }) => label === pin);
}

/** One sentence on which version a pin means, now and later. */
export function describePin(pin: Pin, { latest, live, labels }: VersionPointers): string {
  if (pin === '') return `Follows the live version, currently ${live}.`;
  if (pin === 'latest') return `Follows the latest version, currently ${latest}, even if it is not live.`;
  if (/^\d/.test(pin)) return `Always version ${pin}.`;
  const labeled = labels.find(({ label }) => label === pin);
  return `Follows the label ${pin}, currently on version ${labeled?.version}.`;
}

/** The version that a pin currently means; undefined if the preset has none for it. */
export function resolvePin(pin: Pin, { latest, live, labels }: VersionPointers): number | undefined {
  if (pin === '') return live;
  if (pin === 'latest') return latest;
  const number = /^\d+$/.test(pin) ? Number(pin) : labels.find(({ label }) => label === pin)?.version;
  return number !== undefined && number <= latest ? number : undefined;
}
