import { useState } from 'react';
import { isStatus } from '../api/api-error.ts';
import { type PresetSnapshot, snapshotAfter, useChangePreset } from '../api/presets.ts';
import type { PresetAction } from './preset-action.ts';

/** A change, and the state on screen when the user made it. */
export interface Attempt {
  readonly action: PresetAction;
  readonly before: PresetSnapshot;
}

/**
 * Changes a preset only if it is still in the state that the user saw (`If-Match`). Otherwise
 * `conflict` holds the attempt, to be shown in a `ConflictDialog`.
 */
export function useGuardedChange(slug: string) {
  const { mutateAsync, isPending, error, reset } = useChangePreset(slug);
  const [attempt, setAttempt] = useState<Attempt>();
  const isConflict = isStatus(error, 412);

  return {
    isBusy: isPending,
    conflict: isConflict ? attempt : undefined,
    error: isConflict ? null : error,
    reset,
    /** Rejects with the server's error, which is also available as `error` or `conflict`. */
    async send(action: PresetAction, before: PresetSnapshot): Promise<PresetSnapshot> {
      setAttempt({ action, before });
      return snapshotAfter(before, await mutateAsync({ ...action.request, etag: before.etag }));
    },
  };
}
