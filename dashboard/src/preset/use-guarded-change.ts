import { useState } from 'react';
import { isStatus } from '../api/api-error.ts';
import { type SeenPreset, seenAfter, useChangePreset } from '../api/presets.ts';
import type { PresetAction } from './preset-action.ts';

/** What was asked for, and the state of the preset that the person saw when they asked. */
export interface Attempt {
  readonly action: PresetAction;
  readonly before: SeenPreset;
}

/** Changes a preset only where it still is what the person saw; else there is a conflict to be shown. */
export function useGuardedChange(slug: string) {
  const { mutateAsync, isPending, error, reset } = useChangePreset(slug);
  const [attempt, setAttempt] = useState<Attempt>();
  const isConflict = isStatus(error, 412);

  return {
    isBusy: isPending,
    conflict: isConflict ? attempt : undefined,
    error: isConflict ? null : error,
    reset,
    /** Fails as the server does; what failed is also kept here. */
    async send(action: PresetAction, before: SeenPreset): Promise<SeenPreset> {
      setAttempt({ action, before });
      return seenAfter(before, await mutateAsync({ ...action.request, etag: before.etag }));
    },
  };
}
