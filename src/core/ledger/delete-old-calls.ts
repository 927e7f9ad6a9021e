import { firstIdAt } from './call-record.ts';
import type { LedgerStore } from './ledger-storage.ts';

/** How often `deleteOldCalls` should run. */
export const retentionIntervalMs = 60_000;

/** Keeps each transaction so short that other writes hardly wait for it. */
const callsPerWrite = 500;

/** In an interval: more than arrive, and few enough to end before the next one. */
const writesMax = 1_000;

const dayMs = 86_400_000;

/** A batch is repeated until the database responds. An outage rarely takes longer than a day. */
const batchMs = dayMs;

/** Deletes the calls that are older than the retention. What they are counted in stays. */
export async function deleteOldCalls(
  ledger: Pick<LedgerStore, 'deleteCallsBefore' | 'deleteBatchesBefore'>,
  retentionDays: number,
  now: number,
): Promise<void> {
  await ledger.deleteBatchesBefore(firstIdAt(now - batchMs));
  const before = firstIdAt(now - retentionDays * dayMs);
  for (let write = 0; write < writesMax; write += 1)
    if ((await ledger.deleteCallsBefore(before, callsPerWrite)) < callsPerWrite) return;
}
