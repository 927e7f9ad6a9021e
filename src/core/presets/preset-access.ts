import type { Clock } from '../clock.ts';
import { PresetdError, raise } from '../errors.ts';
import { type Actor, actorFrom } from '../organization/actor.ts';
import type { Caller } from '../organization/caller.ts';
import type { Right } from '../organization/right.ts';
import { accessibleWorkspace, beyondPresets } from '../organization/workspace-access.ts';
import { assertSlug } from '../preset-slug.ts';
import type { PresetAddress, PresetState } from './preset.ts';
import type { PresetStore } from './preset-storage.ts';

/** A request about one preset. */
export interface PresetRequest {
  readonly caller: Caller;
  readonly slug: string;
  /** From the query string. Undefined means the workspace of the key. */
  readonly workspaceId: string | undefined;
}

/**
 * Returns the address of the preset if the caller has this right to it. Does not check that it
 * exists.
 */
export function presetFor({ caller, slug, workspaceId }: PresetRequest, right: Right): PresetAddress {
  const workspace = accessibleWorkspace(caller, workspaceId, right);
  assertSlug(slug);
  // By the name in the request: a preset that gets another slug stays reachable by an alias.
  if (caller.presets !== null && !caller.presets.includes(slug)) throw beyondPresets(caller, caller.presets);
  return { ...workspace, slug };
}

/** Reads a preset for the caller. Throws `not_found` if there is none. */
export async function requirePreset(
  presets: Pick<PresetStore, 'state'>,
  request: PresetRequest,
): Promise<PresetState> {
  const address = presetFor(request, 'read');
  return (await presets.state(address)) ?? raise(unknownPreset(address.slug));
}

/** The address of a preset to change, and the caller, whose right the store checks again. */
export function changeOf(
  request: PresetRequest,
  right: Right,
  clock: Clock,
): { readonly address: PresetAddress; readonly actor: Actor } {
  const address = presetFor(request, right);
  // In the same workspace, also if the key has been moved to another.
  const { workspaceId } = address;
  const actor = actorFrom(request.caller, clock, (caller) =>
    presetFor({ ...request, caller, workspaceId }, right),
  );
  return { address, actor };
}

export function unknownPreset(slug: string): PresetdError {
  return new PresetdError('not_found', `There is no preset "${slug}" that you can access.`, {
    code: 'preset_not_found',
  });
}
