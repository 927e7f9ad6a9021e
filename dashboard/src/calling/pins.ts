import { isLabel } from '../../../src/core/label.ts';
import type { KnownVersions } from '../compare/version-options.ts';

/** Which version a program asks for: a number, a label, or none for whatever is live. */
export type Pin = string;

/**
 * The pin in an address that anybody may have written. What can be neither a version nor a label is none: it would end up
 * in programs that are copied and run.
 */
export function pinFrom(text: string | null): Pin {
  if (text === null || text === 'designated') return '';
  return /^[1-9]\d{0,8}$/.test(text) || isLabel(text) ? text : '';
}

/** What a program gives as its model. Versions are numbers and labels begin with a letter, so that a pin is one of them. */
export function referenceOf(slug: string, pin: Pin): string {
  if (pin === '') return `@preset/${slug}`;
  return /^\d/.test(pin) ? `@preset/${slug}@${pin}` : `@preset/${slug}:${pin}`;
}

/** Whether the preset has what an address asks for. */
export function isKnownPin(pin: Pin, { latest, labels }: KnownVersions): boolean {
  if (pin === '' || pin === 'latest') return true;
  if (/^[1-9]\d{0,8}$/.test(pin)) return Number(pin) <= latest;
  return labels.some(({ label }) => label === pin);
}

/** What follows from a pin for the program that has it. */
export function describePin(pin: Pin, { latest, live, labels }: KnownVersions): string {
  if (pin === '') return `Whatever is live, now version ${live}.`;
  if (pin === 'latest') return `Always the newest, now version ${latest}, also before it is live.`;
  if (/^\d/.test(pin)) return `Version ${pin}, whatever happens to the preset.`;
  const labelled = labels.find(({ label }) => label === pin);
  return `The version that is called ${pin}, now version ${labelled?.version}.`;
}

/** The version that a pin stands for now; undefined where there is none. */
export function pinnedVersion(pin: Pin, { latest, live, labels }: KnownVersions): number | undefined {
  if (pin === '') return live;
  if (pin === 'latest') return latest;
  const number = /^\d+$/.test(pin) ? Number(pin) : labels.find(({ label }) => label === pin)?.version;
  return number !== undefined && number <= latest ? number : undefined;
}

/** How many tokens a config allows for an answer, in whatever dialect it was captured. */
export function limitOf(config: Readonly<Record<string, unknown>> | undefined): number | undefined {
  const limits = [config?.max_tokens, config?.max_completion_tokens, config?.max_output_tokens];
  return limits.find((limit) => typeof limit === 'number');
}
