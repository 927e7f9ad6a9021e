import type { Clock } from '../clock.ts';
import type { Actor } from '../organization/actor.ts';
import { actorFrom } from '../organization/authenticate.ts';
import type { Right } from '../organization/right.ts';
import { type PresetRequest, presetFor, unknownPreset } from '../organization/workspace-access.ts';
import type { PresetAddress, PresetState } from './preset.ts';
import type { PresetStore } from './preset-storage.ts';

/** Reads a preset for the caller. Throws `not_found` if there is none. */
export async function requirePreset(
  presets: Pick<PresetStore, 'state'>,
  request: PresetRequest,
): Promise<PresetState> {
  const address = presetFor(request, 'read');
  const state = await presets.state(address);
  if (state === undefined) throw unknownPreset(address.slug);
  return state;
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
