import type { Generation } from './generations.ts';

/**
 * Finds the calls that have ended since the last look.
 *
 * The server lists calls in the order in which they arrived, but records them when they end, so a
 * long one appears behind others that are known already. A look reads pages until one has a known
 * call. Every tenth look reads on to calls that arrived ten minutes before the newest one. An empty
 * page ends a look: the server has then searched more calls than arrive meanwhile. A look that
 * fails changes nothing, so the next finds what it would have found.
 */
interface CallFeed {
  /** New calls, in the order in which they ended. The first look finds the existing ones. */
  look(signal?: AbortSignal): Promise<NewCalls>;
}

export interface NewCalls {
  readonly calls: readonly Generation[];
  /** Whether there are more calls than one look reads. Those may never appear. */
  readonly isCutOff: boolean;
  /** Whether some may be newer than all that were known before, as no page had a known call. */
  readonly isGap: boolean;
}

export interface CallsPage {
  readonly data: readonly Generation[];
  readonly next_cursor: string | null;
}

/** Calls that take longer are not found. */
const durationMaxMs = 600_000;
const looksPerSweep = 10;
const pagesMax = 20;

export function createCallFeed(
  readPage: (cursor: string | undefined, signal: AbortSignal | undefined) => Promise<CallsPage>,
): CallFeed {
  /** When the calls arrived that were returned and may be listed again. */
  const known = new Map<string, number>();
  let newestMs: number | undefined;
  /** Calls that arrived earlier were returned and forgotten. */
  let oldestMs = 0;
  let looks = 0;

  return {
    async look(signal) {
      const found: Generation[] = [];
      let cursor: string | undefined;
      let isDone = false;
      let hasMetKnown = false;
      for (let pages = 0; pages < pagesMax && !isDone; pages += 1) {
        const { data, next_cursor } = await readPage(cursor, signal);
        newestMs ??= arrivalOf(data[0]);
        cursor = next_cursor ?? undefined;
        const fresh = data.filter((call) => !known.has(call.id) && arrivalOf(call) >= oldestMs);
        found.push(...fresh);
        const isSweep = looks % looksPerSweep === 0;
        const hasKnown = fresh.length < data.length;
        hasMetKnown ||= hasKnown;
        isDone =
          cursor === undefined ||
          data.length === 0 ||
          arrivalOf(data.at(-1)) < newestMs - durationMaxMs ||
          (hasKnown && !isSweep);
      }
      for (const call of found) known.set(call.id, arrivalOf(call));
      newestMs = Math.max(newestMs ?? 0, ...known.values());
      oldestMs = Math.max(oldestMs, newestMs - durationMaxMs);
      for (const [id, arrivedMs] of known) if (arrivedMs < oldestMs) known.delete(id);
      const isGap = looks > 0 && !isDone && !hasMetKnown;
      looks += 1;
      return { calls: found.toSorted((one, other) => endOf(one) - endOf(other)), isCutOff: !isDone, isGap };
    },
  };
}

function arrivalOf(call: Generation | undefined): number {
  return call === undefined ? 0 : Date.parse(call.created_at);
}

function endOf(call: Generation): number {
  return arrivalOf(call) + call.presetd.total_ms;
}
