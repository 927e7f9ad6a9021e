import type { LastUseRecorder } from '../last-use-recorder.ts';
import { type PresetRequest, requirePreset } from './preset-access.ts';
import type { PresetCallStore, PresetStore } from './preset-storage.ts';

interface LastCall {
  /** Null if the preset was never called. */
  readonly lastCalledAt: string | null;
}

/**
 * Returns when a preset was last called. Each process stores its calls once a minute, so the result
 * lacks up to a minute of the calls of other processes; those of this one are in `recorder`. Throws
 * `not_found` if there is no such preset.
 */
export function createLastCallReader(
  calls: PresetCallStore,
  recorder: Pick<LastUseRecorder, 'unstoredUse'>,
  presets: Pick<PresetStore, 'state'>,
) {
  return async (request: PresetRequest): Promise<LastCall> => {
    const { id } = await requirePreset(presets, request);
    // Memory first: a call that is stored meanwhile is then in one of the two.
    const unstored = recorder.unstoredUse(id) ?? '';
    const stored = (await calls.lastCalledAt(id)) ?? '';
    return { lastCalledAt: (unstored > stored ? unstored : stored) || null };
  };
}
