import { PresetdError } from '../errors.ts';

/** Conditional request headers. A write fails with `precondition_failed` if they do not hold. */
export interface Precondition {
  /** `If-Match`: the acceptable ETags of the preset. `*` accepts any, but the preset must exist. */
  readonly ifMatch?: readonly string[] | '*' | undefined;
  /** `If-None-Match: *`: the preset must not exist. */
  readonly mustBeNew?: boolean | undefined;
}

interface Revised {
  readonly id: string;
  readonly revision: number;
}

/** The preset's ETag without quotes. Every change produces a new one, and none is ever reused. */
export function presetEtag({ id, revision }: Revised): string {
  return `${id}.${revision}`;
}

/** Checks the precondition against the current preset; undefined if there is none. */
export function assertPrecondition(
  preset: (Revised & { readonly slug: string }) | undefined,
  precondition: Precondition,
): void {
  const { ifMatch, mustBeNew } = precondition;
  if (mustBeNew && preset !== undefined) {
    throw new PresetdError('precondition_failed', `The preset "${preset.slug}" already exists.`);
  }
  if (ifMatch === undefined) return;
  if (preset === undefined) {
    throw new PresetdError(
      'precondition_failed',
      'If-Match requires an existing preset, and this one does not exist.',
    );
  }
  if (ifMatch === '*' || ifMatch.includes(presetEtag(preset))) return;
  throw new PresetdError(
    'precondition_failed',
    `The preset "${preset.slug}" has changed since you read it: its ETag is now "${presetEtag(preset)}". Read it again, then repeat your change.`,
  );
}

export function hasPrecondition({ ifMatch, mustBeNew }: Precondition): boolean {
  return ifMatch !== undefined || mustBeNew === true;
}
