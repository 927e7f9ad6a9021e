import { invalidRequest, PresetdError } from '../errors.ts';
import type { PresetState } from './preset.ts';

/**
 * Labels: movable names for versions, such as `staging`. Two of them are reserved: `latest` is
 * always the newest version and `designated` always the live one.
 */
export const labelPattern = '^[a-z][a-z0-9-]{0,62}$';

/** For the OpenAPI document: every label except the reserved ones. */
export const settableLabelPattern = '^(?!latest$)(?!designated$)[a-z][a-z0-9-]{0,62}$';

/** For the OpenAPI document: a version number or a label. */
export const versionReferencePattern = '^([1-9][0-9]*|[a-z][a-z0-9-]{0,62})$';

export const labelRule = 'must be 1 to 63 characters from a-z 0-9 - and begin with a letter';

/** Bounds the list of labels, which responses return without paging. A preset needs only a few. */
export const labelsMax = 100;

const labelExpression = new RegExp(labelPattern);

/** These labels follow from the state of the preset and cannot be set. */
const reservedLabels: Readonly<Record<string, (preset: PresetState) => number>> = {
  latest: (preset) => preset.latestVersion,
  designated: (preset) => preset.designatedNumber,
};

export function isReservedLabel(label: string): boolean {
  return Object.hasOwn(reservedLabels, label);
}

/** Rejects reserved labels, and text that could be mistaken for a version number. */
export function assertSettableLabel(label: string): void {
  assertLabel(label);
  if (!isReservedLabel(label)) return;
  throw invalidRequest(
    `The label "${label}" always means the ${label === 'latest' ? 'newest' : 'live'} version and cannot be set or removed. Choose another.`,
    '/label',
    'must not be latest or designated',
  );
}

/**
 * Returns the number of the version that a number or a label refers to. Throws `not_found` if the
 * preset has no such version or label. `path` locates the reference in the request.
 */
export function resolveVersion(preset: PresetState, reference: string, path: string): number {
  if (/^\d/.test(reference)) return requireExistingVersion(preset, parseVersion(reference, path));
  assertLabel(reference, path);
  const reserved = Object.hasOwn(reservedLabels, reference) ? reservedLabels[reference]?.(preset) : undefined;
  const version = reserved ?? preset.labels.get(reference)?.version;
  if (version === undefined) throw unknownLabel(preset, reference);
  return version;
}

/**
 * Parses a version number. A number too large for the database is valid but matches no version, so
 * it becomes one that cannot exist instead of overflowing a column.
 */
export function parseVersion(text: string, path = '/version'): number {
  const version = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : Number.NaN;
  if (version <= versionMax) return version;
  if (/^[1-9]\d*$/.test(text)) return versionMax + 1;
  const rule = 'must be a positive whole number';
  throw invalidRequest(`A version ${rule}, not "${text}".`, path, rule);
}

/** One less than the largest 32-bit integer, which is the column type. */
const versionMax = 2_147_483_646;

/** Whether the text is a valid label, whether or not it exists. */
export function isLabel(text: string): boolean {
  return labelExpression.test(text);
}

/** Returns the version number, or throws `not_found` if the preset has no such version. */
export function requireExistingVersion(preset: PresetState, version: number): number {
  if (version >= 1 && version <= preset.latestVersion) return version;
  throw unknownVersion(preset, version);
}

export function unknownVersion({ slug, latestVersion }: PresetState, version: number): PresetdError {
  const requested = version > versionMax ? 'such version' : `version ${version}`;
  return new PresetdError(
    'not_found',
    `The preset "${slug}" has no ${requested}; it has ${describeVersions(latestVersion)}.`,
    { code: 'version_not_found' },
  );
}

export function unknownLabel(preset: PresetState, label: string): PresetdError {
  return new PresetdError(
    'not_found',
    `The preset "${preset.slug}" has no label "${label}"; it has ${describeLabels(preset)}.`,
    { code: 'version_not_found' },
  );
}

/** For error messages: "versions 1 to 7". */
export function describeVersions(latestVersion: number): string {
  return latestVersion === 1 ? 'version 1' : `versions 1 to ${latestVersion}`;
}

/** For error messages: "staging, latest, designated". */
export function describeLabels({ labels }: PresetState): string {
  return [...labels.keys(), ...Object.keys(reservedLabels)].join(', ');
}

function assertLabel(label: string, path = '/label'): void {
  if (!isLabel(label)) throw invalidRequest(`A label ${labelRule}.`, path, labelRule);
}
