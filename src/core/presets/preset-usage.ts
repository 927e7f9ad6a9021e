import type { UsageRecorder } from '../organization/usage.ts';
import { type PresetRequest, presetFor, unknownPreset } from '../organization/workspace-access.ts';
import type { PresetStore, PresetUsageStore } from '../storage.ts';

export interface PresetUsage {
  /** Null if the preset was never called. */
  readonly lastCalledAt: string | null;
}

/**
 * Returns when a preset was last called. Each process stores its calls once a minute, so the result
 * lacks up to a minute of the calls of other processes; those of this one are in `recorder`. Throws
 * `not_found` if there is no such preset.
 */
export function createPresetUsageReader(
  usage: PresetUsageStore,
  recorder: Pick<UsageRecorder, 'unstoredUse'>,
  presets: Pick<PresetStore, 'state'>,
) {
  return async (request: PresetRequest): Promise<PresetUsage> => {
    const address = presetFor(request, 'read');
    const state = await presets.state(address);
    if (state === undefined) throw unknownPreset(address.slug);
    // Memory first: a call that is stored meanwhile is then in one of the two.
    const unstored = recorder.unstoredUse(state.id) ?? '';
    const stored = (await usage.lastCalledAt(state.id)) ?? '';
    return { lastCalledAt: (unstored > stored ? unstored : stored) || null };
  };
}
