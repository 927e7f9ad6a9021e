/**
 * Describes the changes of each version, for a list of versions.
 *
 * Comparing two prompts of 100 kB takes tens of milliseconds, and scrolling shows many versions at
 * once. So each comparison is a task of its own, and its result is kept as long as the version is.
 */

import { useEffect, useState } from 'react';
import type { PresetVersionDetails } from '../../../../../src/api/versions.ts';
import { describeChanges } from '../../../features/comparison/describe-changes.ts';

/** By the later version. Versions never change, and each has one predecessor. */
const described = new WeakMap<PresetVersionDetails, readonly string[]>();

/** Undefined until it is known, and for a version without a predecessor. */
export function useDescribedChanges(
  previous: PresetVersionDetails | undefined,
  version: PresetVersionDetails | undefined,
): readonly string[] | undefined {
  const [, setCount] = useState(0);
  useEffect(() => {
    if (previous === undefined || version === undefined || described.has(version)) return;
    return enqueue(() => {
      described.set(version, describeChanges(previous, version));
      setCount((count) => count + 1);
    });
  }, [previous, version]);
  return version && described.get(version);
}

const waiting = new Set<() => void>();

/** Returns how to withdraw the job, such as when its row is scrolled away. */
function enqueue(job: () => void): () => void {
  waiting.add(job);
  if (waiting.size === 1) setTimeout(runNext);
  return () => waiting.delete(job);
}

function runNext(): void {
  const [job] = waiting;
  if (job === undefined) return;
  waiting.delete(job);
  try {
    job();
  } finally {
    // An error in one comparison must not stop the others.
    if (waiting.size > 0) setTimeout(runNext);
  }
}
