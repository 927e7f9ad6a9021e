import {
  addSpent,
  counterAt,
  type SpendCounter,
  type SpendLimit,
  takeBack,
  writeOffSpent,
} from './spend-limit.ts';

/**
 * A part of a limit that only one process may spend. What all leases allow and what is counted as
 * spent are together never more than the limit.
 */
export interface Lease {
  /** The id of the process. */
  readonly holder: string;
  /** Its allowance, beyond what it has reported. */
  readonly nanos: number;
  /** The amount counted as spent when the process stopped reporting. */
  readonly writtenOff: number;
  /** When it is written off, or forgotten after that. In milliseconds since 1970. */
  readonly expiresAt: number;
}

/** A process's report on one subject, such as a key, and what it asks for. */
export interface SpendReport {
  readonly subject: string;
  /** Null if nothing is limited, and only counted. */
  readonly limit: SpendLimit | null;
  /** The spend since the last report. */
  readonly spent: number;
  /** The maximum cost of calls in flight. */
  readonly inFlight: number;
  /** The part of its lease that it keeps using until the grant arrives, with calls in flight. */
  readonly kept: number;
  /** The maximum cost of each waiting call. */
  readonly wanted: readonly number[];
  /** Whether it expects more calls. */
  readonly isActive: boolean;
}

/** The answer to a report. */
export interface SpendGrant {
  readonly subject: string;
  readonly leased: number;
  /** The spend of all processes in the window of the limit. */
  readonly spent: number;
}

/** A process that stopped reporting for so long has died. */
export const leaseMs = 30_000;

/** How long a lease that was written off can be taken back by a process that was only slow. */
const rememberedMs = 86_400_000;

/**
 * How much a process leases beyond what its calls may cost: at most a hundredth of the limit, which
 * is what is lost when it dies. Near the limit it is less, so that others get a part of it, too.
 */
export function sliceOf(limit: number, rest: number): number {
  return Math.floor(Math.max(0, Math.min(limit / 100, rest / 16)));
}

/** The spend of a subject, and the leases of its limit. */
export interface LeasedCounter {
  readonly counter: SpendCounter;
  readonly leases: readonly Lease[];
}

/** Counts leases as spent whose processes have died: they may have sent calls upstream. */
export function writeOff({ counter, leases }: LeasedCounter, now: number): LeasedCounter {
  let changed = counterAt(counter, now);
  const rest = leases.flatMap((lease): readonly Lease[] => {
    const { holder, nanos, writtenOff, expiresAt } = lease;
    if (expiresAt > now) return [lease];
    if (nanos === 0) return [];
    changed = writeOffSpent(changed, nanos);
    return [{ holder, nanos: 0, writtenOff: writtenOff + nanos, expiresAt: now + rememberedMs }];
  });
  return { counter: changed, leases: rest };
}

/** Counts what a process has spent, and gives it as much of the limit as it needs and there is. */
export function applyReport(
  current: LeasedCounter,
  holder: string,
  report: SpendReport,
  now: number,
): LeasedCounter & { readonly grant: SpendGrant } {
  const { counter, leases } = writeOff(current, now);
  const own = leases.find((lease) => lease.holder === holder);
  const others = leases.filter((lease) => lease.holder !== holder);
  // The process was slow, not dead: what it has spent is in its reports.
  const restored =
    own === undefined ? counter : takeBack(counter, own.writtenOff, own.expiresAt - rememberedMs);
  const reported = addSpent(restored, report.spent);
  const { subject, limit } = report;
  const spent = limit === null ? reported.total : reported[limit.window];
  const leased = limit === null ? 0 : leaseFor(limit, spent, others, report);
  const lease: Lease = { holder, nanos: leased, writtenOff: 0, expiresAt: now + leaseMs };
  return {
    counter: reported,
    leases: leased === 0 ? others : [...others, lease],
    grant: { subject, leased, spent },
  };
}

/** A waiting call gets all that it may cost or nothing: a part would only be kept from others. */
function leaseFor(
  { nanos: limit }: SpendLimit,
  spent: number,
  others: readonly Lease[],
  { inFlight, kept, wanted, isActive }: SpendReport,
): number {
  const leasedByOthers = others.reduce((sum, { nanos }) => sum + nanos, 0);
  const available = limit - spent - leasedByOthers;
  const needed = wanted.reduce((sum, nanos) => (sum + nanos <= available ? sum + nanos : sum), inFlight);
  const slice = isActive ? sliceOf(limit, available - needed) : 0;
  // Calls in flight cannot be taken back, even if the limit was lowered meanwhile.
  return Math.max(kept, needed + slice);
}
