import { PresetdError } from './errors.ts';

/** What a caller believes about a preset; a write that meets another state is refused. */
export interface Precondition {
  /** `If-Match`: the tags of the states it may be in; `*` is any, as long as it exists. */
  readonly ifMatch?: readonly string[] | '*' | undefined;
  /** `If-None-Match: *`: it must not exist. */
  readonly mustBeNew?: boolean | undefined;
}

interface Revised {
  readonly id: string;
  readonly revision: number;
}

/** Changes with every change of the preset, and never comes back. */
export function presetEtag({ id, revision }: Revised): string {
  return `${id}.${revision}`;
}

export function assertPrecondition(
  preset: (Revised & { readonly slug: string }) | undefined,
  precondition: Precondition,
): void {
  const { ifMatch, mustBeNew } = precondition;
  if (mustBeNew && preset !== undefined) {
    throw new PresetdError('precondition_failed', `The preset "${preset.slug}" exists already.`);
  }
  if (ifMatch === undefined) return;
  if (preset === undefined) {
    throw new PresetdError('precondition_failed', 'There is no preset yet for which If-Match could hold.');
  }
  if (ifMatch === '*' || ifMatch.includes(presetEtag(preset))) return;
  throw new PresetdError(
    'precondition_failed',
    `The preset "${preset.slug}" was changed since you read it: it is now at "${presetEtag(preset)}". Read it again, then repeat your change.`,
  );
}

export function hasPrecondition({ ifMatch, mustBeNew }: Precondition): boolean {
  return ifMatch !== undefined || mustBeNew === true;
}
