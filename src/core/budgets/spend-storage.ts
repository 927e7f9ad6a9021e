import type { SpendGrant, SpendReport } from './lease.ts';
import type { SpendCounter } from './spend-limit.ts';

/** Reports of one process that are applied together. Applied once, even if it is sent again. */
export interface SpendReports {
  /** A UUIDv7. */
  readonly id: string;
  readonly holder: string;
  readonly reports: readonly SpendReport[];
}

/** Counts what is spent, and shares what limits allow among all processes. */
export interface SpendStore {
  /** One grant for each report, in their order. */
  report(reports: SpendReports, now: number): Promise<readonly SpendGrant[]>;
  /** Counts leases of processes that have died as spent. */
  writeOff(now: number): Promise<void>;
  /** The counters of these subjects; none for those that have never spent anything. */
  find(subjects: readonly string[], now: number): Promise<ReadonlyMap<string, SpendCounter>>;
}
