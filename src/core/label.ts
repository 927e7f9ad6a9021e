import { PresetdError } from './errors.ts';
import type { PresetState } from './preset.ts';

export const labelPattern = '^[a-z][a-z0-9-]{0,62}$';

/** For the API document: without the labels that have a meaning of their own. */
export const settableLabelPattern = '^(?!latest$)(?!designated$)[a-z][a-z0-9-]{0,62}$';

/** For the API document: a version by its number or a label. */
export const versionReferencePattern = '^([1-9][0-9]*|[a-z][a-z0-9-]{0,62})$';

export const labelRule = 'must be 1 to 63 of a-z 0-9 - and begin with a letter';

/** A preset has a few channels, such as staging and production; a list of them is answered whole. */
export const labelsMax = 100;

const labelExpression = new RegExp(labelPattern);

/** What these point to follows from the preset, so they cannot be set. */
const reservedLabels: Readonly<Record<string, (preset: PresetState) => number>> = {
  latest: (preset) => preset.latestVersion,
  designated: (preset) => preset.designatedNumber,
};

/** Whether a label has a meaning of its own. */
export function isReservedLabel(label: string): boolean {
  return Object.hasOwn(reservedLabels, label);
}

/** Refuses what could be taken for a version number, and the labels that have a meaning of their own. */
export function assertSettableLabel(label: string): void {
  assertLabel(label);
  if (!isReservedLabel(label)) return;
  throw new PresetdError(
    'invalid_request',
    `The label "${label}" always means the ${label === 'latest' ? 'newest' : 'designated'} version and cannot be set or removed. Choose another.`,
    { issues: [{ path: '/label', message: 'must not be latest or designated' }] },
  );
}

/** The number of a version given as a number or a label; `not_found` when the preset has no such version. */
export function resolveVersion(preset: PresetState, reference: string, path: string): number {
  if (/^\d/.test(reference)) return requireExistingVersion(preset, parseVersion(reference, path));
  assertLabel(reference, path);
  const own = Object.hasOwn(reservedLabels, reference) ? reservedLabels[reference]?.(preset) : undefined;
  const version = own ?? preset.labels.get(reference)?.version;
  if (version === undefined) throw unknownLabel(preset, reference);
  return version;
}

export function parseVersion(text: string, path = '/version'): number {
  const version = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : Number.NaN;
  if (version <= versionMax) return version;
  if (/^[1-9]\d*$/.test(text)) return versionMax + 1;
  throw new PresetdError('invalid_request', `A version is a whole number from 1, and not "${text}".`, {
    issues: [{ path, message: 'must be a whole number from 1' }],
  });
}

/** Of a column of either engine. Larger numbers are fine to ask for; there is no such version. */
const versionMax = 2_147_483_646;

/** Whether a label of this name can exist. */
export function isLabel(text: string): boolean {
  return labelExpression.test(text);
}

export function requireExistingVersion(preset: PresetState, version: number): number {
  if (version >= 1 && version <= preset.latestVersion) return version;
  throw unknownVersion(preset.slug, version, preset.latestVersion);
}

export function unknownVersion(slug: string, version: number, latestVersion: number): PresetdError {
  const asked = version > versionMax ? 'such version' : `version ${version}`;
  return new PresetdError(
    'not_found',
    `The preset "${slug}" has no ${asked}; it has ${describeVersions(latestVersion)}.`,
  );
}

export function unknownLabel(preset: PresetState, label: string): PresetdError {
  return new PresetdError(
    'not_found',
    `The preset "${preset.slug}" has no label "${label}"; it has ${describeLabels(preset)}.`,
  );
}

/** For a message. */
export function describeVersions(latestVersion: number): string {
  return latestVersion === 1 ? 'version 1' : `versions 1 to ${latestVersion}`;
}

/** For a message. */
export function describeLabels({ labels }: PresetState): string {
  return [...labels.keys(), ...Object.keys(reservedLabels)].join(', ');
}

function assertLabel(label: string, path = '/label'): void {
  if (isLabel(label)) return;
  throw new PresetdError(
    'invalid_request',
    'A label must be 1 to 63 of the characters a-z 0-9 - and begin with a letter.',
    { issues: [{ path, message: labelRule }] },
  );
}
