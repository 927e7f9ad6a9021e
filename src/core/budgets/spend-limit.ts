import { currentPeriods, hourMs } from '../ledger/usage-periods.ts';

/** The spend that a limit counts: all of it, or that of the current period, in UTC. */
type SpendWindow = 'total' | 'day' | 'week' | 'month';

export interface SpendLimit {
  /** In billionths of a US dollar. */
  readonly nanos: number;
  readonly window: SpendWindow;
}

/** The spend of a key, for example. The periods start at these hours since 1970. */
export interface SpendCounter {
  readonly total: number;
  readonly day: number;
  readonly dayStart: number;
  readonly week: number;
  readonly weekStart: number;
  readonly month: number;
  readonly monthStart: number;
  /** The part that was written off because a process died. */
  readonly writtenOff: number;
}

export const nothingSpent: SpendCounter = {
  total: 0,
  day: 0,
  dayStart: 0,
  week: 0,
  weekStart: 0,
  month: 0,
  monthStart: 0,
  writtenOff: 0,
};

/** The counter at this time: periods that are over count nothing. */
export function counterAt(counter: SpendCounter, now: number): SpendCounter {
  const starts = currentPeriods(now);
  // A server whose clock is behind must not undo the period of another one.
  const isOver = (start: number, current: number) => start < current;
  return {
    ...counter,
    ...(isOver(counter.dayStart, starts.day) && { day: 0, dayStart: starts.day }),
    ...(isOver(counter.weekStart, starts.week) && { week: 0, weekStart: starts.week }),
    ...(isOver(counter.monthStart, starts.month) && { month: 0, monthStart: starts.month }),
  };
}

/** Adds to all periods. */
export function addSpent(counter: SpendCounter, nanos: number): SpendCounter {
  return {
    ...counter,
    total: counter.total + nanos,
    day: counter.day + nanos,
    week: counter.week + nanos,
    month: counter.month + nanos,
  };
}

/** Counts the lease of a process that has died as spent. */
export function writeOffSpent(counter: SpendCounter, nanos: number): SpendCounter {
  return { ...addSpent(counter, nanos), writtenOff: counter.writtenOff + nanos };
}

/** Takes back what was written off then or later. Periods that began since do not contain it. */
export function takeBack(counter: SpendCounter, nanos: number, at: number): SpendCounter {
  const rest = (spent: number, startHour: number) =>
    startHour * hourMs <= at ? Math.max(0, spent - nanos) : spent;
  return {
    ...counter,
    total: rest(counter.total, 0),
    day: rest(counter.day, counter.dayStart),
    week: rest(counter.week, counter.weekStart),
    month: rest(counter.month, counter.monthStart),
    writtenOff: Math.max(0, counter.writtenOff - nanos),
  };
}
