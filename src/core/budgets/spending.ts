import { databaseUnavailable, PresetdError } from '../errors.ts';
import { newId } from '../identifiers.ts';
import { type SpendGrant, type SpendReport, sliceOf } from './lease.ts';
import type { SpendLimit } from './spend-limit.ts';
import type { SpendReports, SpendStore } from './spend-storage.ts';

/** Something that may spend only so much, such as a key. */
export interface LimitedSpender {
  /** Names it in the database, such as `key:<id>`. */
  readonly subject: string;
  readonly limit: SpendLimit;
}

/** The maximum cost of a call, set aside until it has ended. */
export interface Reservation {
  readonly nanos: number;
  /** Counts what the call has cost. Later calls of it do nothing. */
  settle(nanos: number): void;
}

/**
 * Counts what keys, for example, spend, and keeps them within their limits.
 *
 * `startServer` creates one per process. It leases a part of each limit from the database, and a
 * call sets aside from that what it may cost, in memory. Once a second, it reports what was spent
 * and leases more or returns what it does not need; a call that does not fit makes it ask at once.
 * It sends one report at a time. While the database is unavailable, only what is leased can be
 * spent.
 */
export interface Spending {
  /**
   * Sets aside what a call may cost, for all its spenders or for none. Without a promise if the
   * leases allow it. Rejects with `OverLimit`, or with `unavailable` if the database cannot be
   * asked.
   */
  reserve(spenders: readonly LimitedSpender[], nanos: number): Reservation | Promise<Reservation>;
  /** Counts what was spent without a reservation. */
  count(subject: string, nanos: number): void;
  /** The rest of a limit as last reported. Asks the database if it never was. */
  remaining(spender: LimitedSpender): Promise<number>;
  /** Reports everything and returns all leases; gives up if the database is unavailable. */
  stop(): Promise<void>;
}

/** A limit that has no room for a call. */
export class OverLimit extends Error {
  readonly subject: string;
  readonly limit: SpendLimit;
  /** The spend of all processes in the window of the limit. */
  readonly spent: number;

  constructor(subject: string, limit: SpendLimit, spent: number) {
    super(`${subject} has no room for the call`);
    this.subject = subject;
    this.limit = limit;
    this.spent = spent;
  }
}

interface SpendingOptions {
  readonly store: Pick<SpendStore, 'report' | 'writeOff'>;
  readonly onFailure: (error: unknown) => void;
  readonly now?: () => number;
  /** How often to report. */
  readonly tickMs?: number;
}

/** Leases must not expire while this process lives. */
const renewalMs = 10_000;
/** A spender without calls for so long returns what it does not need. */
const idleMs = 10_000;
const writeOffIntervalMs = 10_000;

/** A waiting call is refused if other processes have not returned enough by then. */
const attemptsMax = 3;
/** How long a limit is known to be used up: a script that retries must not flood the database. */
const refusalMs = 1_000;

/** Keeps each transaction short. */
const reportsPerBatch = 200;

interface Waiter {
  readonly nanos: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
  attempts: number;
}

/** A spender as this process knows it. The lease covers calls in flight and unreported costs. */
class SpenderState {
  readonly subject: string;
  limit: SpendLimit | null = null;
  leased = 0;
  /** Calls in flight, and what they may cost. */
  calls = 0;
  inFlight = 0;
  unreported = 0;
  /** From the last grant. */
  spent = 0;
  grantedAt = Number.NEGATIVE_INFINITY;
  usedAt = Number.NEGATIVE_INFINITY;
  hasNewLimit = false;
  waiters: Waiter[] = [];

  constructor(subject: string) {
    this.subject = subject;
  }

  setLimit(limit: SpendLimit): void {
    if (this.limit?.nanos === limit.nanos && this.limit.window === limit.window) return;
    this.limit = limit;
    this.hasNewLimit = true;
  }

  /** Whether the call fits. */
  take(nanos: number): boolean {
    if (this.inFlight + this.unreported + nanos > this.leased) return false;
    this.calls += 1;
    this.inFlight += nanos;
    return true;
  }

  settle(reserved: number, spent: number): void {
    this.calls -= 1;
    this.inFlight -= reserved;
    this.unreported += spent;
    this.admit();
  }

  /** Starts waiting calls that fit now. */
  admit(): void {
    if (this.waiters.length === 0) return;
    this.waiters = this.waiters.filter((waiter) => {
      if (!this.take(waiter.nanos)) return true;
      waiter.resolve();
      return false;
    });
  }

  /** The rest of the lease, beyond unreported costs and calls in flight. */
  get slack(): number {
    return Math.max(0, this.leased - this.unreported - this.inFlight);
  }

  /** Maximum slack while active. */
  slackMax(now: number): number {
    if (this.limit === null || now - this.usedAt > idleMs) return 0;
    return sliceOf(this.limit.nanos, this.limit.nanos - this.spent);
  }

  needsReport(now: number): boolean {
    if (this.unreported > 0 || this.hasNewLimit || this.waiters.length > 0) return true;
    return this.leased > 0 && (this.slack > this.slackMax(now) || now - this.grantedAt >= renewalMs);
  }

  /** Whether nothing is lost if it is forgotten. A refusal is remembered for a while. */
  isUnused(now: number): boolean {
    const isEmpty = this.leased === 0 && this.calls === 0 && this.unreported === 0;
    return isEmpty && this.waiters.length === 0 && now - this.usedAt > idleMs;
  }

  /** From now on, only what is kept can be used, until the answer is there. */
  report(now: number): SpendReport {
    const { subject, limit, unreported, inFlight } = this;
    const slackMax = this.slackMax(now);
    const kept = inFlight + Math.min(this.slack, slackMax);
    for (const waiter of this.waiters) waiter.attempts += 1;
    this.leased = kept;
    this.unreported = 0;
    this.hasNewLimit = false;
    return {
      subject,
      limit,
      spent: unreported,
      inFlight,
      kept,
      wanted: this.waiters.map(({ nanos }) => nanos),
      isActive: now - this.usedAt <= idleMs,
    };
  }

  apply({ leased, spent }: SpendGrant, now: number): void {
    this.leased = leased;
    this.spent = spent;
    this.grantedAt = now;
    this.admit();
    this.waiters = this.waiters.filter(({ nanos, attempts, reject }) => {
      const isRefused = attempts >= attemptsMax || (attempts > 0 && this.isUsedUp(nanos, now));
      if (isRefused) reject(this.refusal());
      return !isRefused;
    });
  }

  /** Whether it is known what was spent within the limit. */
  get isKnown(): boolean {
    return this.grantedAt > Number.NEGATIVE_INFINITY && !this.hasNewLimit;
  }

  /** Whether the limit had no room a moment ago, even if every process returned its lease. */
  isUsedUp(nanos: number, now: number): boolean {
    if (this.limit === null || this.hasNewLimit || now - this.grantedAt > refusalMs) return false;
    return this.spent + nanos > this.limit.nanos;
  }

  refusal(): OverLimit {
    return new OverLimit(this.subject, this.limit ?? { nanos: 0, window: 'total' }, this.spent);
  }
}

export function createSpending(options: SpendingOptions): Spending {
  const { store, onFailure, now = Date.now, tickMs = 1_000 } = options;
  const holder = newId();
  const states = new Map<string, SpenderState>();
  /** The states to report next. */
  const due = new Set<SpenderState>();
  /** Reports whose outcome is unknown. Sent again as they are, so that nothing counts twice. */
  let pending: SpendReports | undefined;
  let running: Promise<void> | undefined;
  let isStopped = false;
  let writeOffAt = now() + writeOffIntervalMs;

  const timer = setInterval(tick, tickMs);
  timer.unref();

  function tick(): void {
    const time = now();
    for (const state of states.values())
      if (state.needsReport(time)) due.add(state);
      else if (pending === undefined && state.isUnused(time)) states.delete(state.subject);
    if (due.size > 0 || pending !== undefined) send();
    if (time < writeOffAt) return;
    writeOffAt = time + writeOffIntervalMs;
    store.writeOff(time).catch(onFailure);
  }

  function send(): void {
    running ??= sendAll().finally(() => {
      running = undefined;
    });
  }

  async function sendAll(): Promise<void> {
    while (pending !== undefined || due.size > 0) {
      pending ??= { id: newId(), holder, reports: nextReports() };
      try {
        const grants = await store.report(pending, now());
        pending = undefined;
        for (const grant of grants) states.get(grant.subject)?.apply(grant, now());
      } catch (error) {
        onFailure(error);
        refuseAll(error);
        return;
      }
    }
  }

  function nextReports(): readonly SpendReport[] {
    const next = [...due].slice(0, reportsPerBatch);
    for (const state of next) due.delete(state);
    return next.map((state) => state.report(now()));
  }

  /** Calls do not wait for a database that is away. */
  function refuseAll(error: unknown): void {
    const reason = error instanceof PresetdError ? error : databaseUnavailable(error);
    for (const state of states.values()) {
      for (const waiter of state.waiters) waiter.reject(reason);
      state.waiters = [];
    }
  }

  function stateOf(subject: string): SpenderState {
    let state = states.get(subject);
    if (state === undefined) {
      state = new SpenderState(subject);
      states.set(subject, state);
    }
    state.usedAt = now();
    return state;
  }

  function limitedStateOf({ subject, limit }: LimitedSpender): SpenderState {
    const state = stateOf(subject);
    state.setLimit(limit);
    return state;
  }

  async function wait(state: SpenderState, nanos: number): Promise<void> {
    if (state.isUsedUp(nanos, now())) throw state.refusal();
    await new Promise<void>((resolve, reject) => {
      state.waiters.push({ nanos, resolve, reject, attempts: 0 });
      due.add(state);
      send();
    });
  }

  async function reserveRest(
    held: SpenderState[],
    rest: readonly LimitedSpender[],
    nanos: number,
  ): Promise<Reservation> {
    try {
      for (const spender of rest) {
        const state = limitedStateOf(spender);
        if (!state.take(nanos)) await wait(state, nanos);
        held.push(state);
      }
    } catch (error) {
      for (const state of held) state.settle(nanos, 0);
      throw error;
    }
    return reservationOf(held, nanos);
  }

  return {
    reserve(spenders, nanos) {
      const held: SpenderState[] = [];
      for (const [index, spender] of spenders.entries()) {
        const state = limitedStateOf(spender);
        if (!state.take(nanos)) return reserveRest(held, spenders.slice(index), nanos);
        held.push(state);
      }
      return reservationOf(held, nanos);
    },
    count(subject, nanos) {
      stateOf(subject).unreported += nanos;
    },
    async remaining(spender) {
      const state = limitedStateOf(spender);
      if (!state.isKnown) {
        due.add(state);
        send();
        await running;
      }
      return spender.limit.nanos - state.spent;
    },
    async stop() {
      if (isStopped) return;
      isStopped = true;
      clearInterval(timer);
      await running;
      for (const state of states.values()) {
        state.usedAt = Number.NEGATIVE_INFINITY;
        if (state.needsReport(now())) due.add(state);
      }
      await sendAll();
    },
  };
}

function reservationOf(states: readonly SpenderState[], nanos: number): Reservation {
  let isSettled = false;
  return {
    nanos,
    settle(spent) {
      if (isSettled) return;
      isSettled = true;
      for (const state of states) state.settle(nanos, spent);
    },
  };
}
