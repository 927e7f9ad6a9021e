import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createRandom, type Random } from '../../../test/support/random.ts';
import { databaseUnavailable } from '../errors.ts';
import { applyReport, type Lease, type SpendReport, writeOff } from './lease.ts';
import { nothingSpent, type SpendCounter, type SpendLimit } from './spend-limit.ts';
import type { SpendReports, SpendStore } from './spend-storage.ts';
import { createSpending, OverLimit, type Reservation, type Spending } from './spending.ts';

const subject = 'key:1';

/** Stores as the database does, and fails as it can: before or after a report is applied. */
class MemoryStore implements Pick<SpendStore, 'report' | 'writeOff'> {
  counter: SpendCounter = nothingSpent;
  leases: readonly Lease[] = [];
  readonly reports: SpendReport[] = [];
  failure: 'before' | 'after' | undefined;
  delayMs = 0;
  readonly #applied = new Set<string>();

  async report({ id, holder, reports }: SpendReports, now: number) {
    if (this.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, this.delayMs));
    if (this.failure === 'before') throw databaseUnavailable(new Error('before'));
    const isNew = !this.#applied.has(id);
    this.#applied.add(id);
    const grants = reports.map((report) => {
      this.reports.push(report);
      const once = isNew ? report : { ...report, spent: 0 };
      const { grant, ...next } = applyReport(this, holder, once, now);
      Object.assign(this, next);
      return grant;
    });
    if (this.failure === 'after') throw databaseUnavailable(new Error('after'));
    return grants;
  }

  async writeOff(now: number) {
    if (this.failure !== undefined) throw databaseUnavailable(new Error('away'));
    Object.assign(this, writeOff(this, now));
  }

  get leased(): number {
    return this.leases.reduce((sum, { nanos }) => sum + nanos, 0);
  }
}

beforeEach(() => {
  vi.useFakeTimers({
    now: Date.parse('2026-11-18T12:00:00Z'),
    toFake: ['setTimeout', 'setInterval', 'Date'],
  });
});
afterEach(() => {
  vi.useRealTimers();
});

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const onFailure = () => {};

function open(store: MemoryStore): Spending {
  return createSpending({ store, onFailure });
}

const total = (nanos: number): SpendLimit => ({ nanos, window: 'total' });

describe('one process', () => {
  it('reports once a second while the limit is far', async () => {
    const store = new MemoryStore();
    const spending = open(store);
    const limit = total(1_000_000);
    for (let index = 0; index < 500; index += 1) {
      const reservation = await spending.reserve([{ subject, limit }], 40);
      await pass(10);
      reservation.settle(10);
    }
    expect(store.counter.total).toBeGreaterThan(4_000);
    // The first call asks at once.
    expect(store.reports.length).toBeLessThanOrEqual(7);
    await spending.stop();
    expect(store).toMatchObject({ counter: { total: 5_000 }, leases: [] });
  });

  it('spends a limit to its end and refuses what is beyond it', async () => {
    const store = new MemoryStore();
    const spending = open(store);
    const spenders = [{ subject, limit: total(100) }];
    for (let index = 0; index < 9; index += 1) (await spending.reserve(spenders, 11)).settle(11);
    await expect(spending.reserve(spenders, 2)).rejects.toMatchObject({ subject, spent: 99 });
    (await spending.reserve(spenders, 1)).settle(1);
    await expect(spending.reserve(spenders, 1)).rejects.toThrow(OverLimit);
    expect(store.counter.total).toBe(100);
    await spending.stop();
  });

  it('does not ask again within a second whether a limit is used up', async () => {
    const store = new MemoryStore();
    const spending = open(store);
    const spenders = [{ subject, limit: total(10) }];
    (await spending.reserve(spenders, 10)).settle(10);
    for (let index = 0; index < 100; index += 1)
      await expect(spending.reserve(spenders, 1)).rejects.toThrow(OverLimit);
    expect(store.reports).toHaveLength(2);
    // A limit that was changed counts at once.
    (await spending.reserve([{ subject, limit: total(20) }], 5)).settle(5);
    vi.setSystemTime(Date.now() + 86_400_000);
    await expect(spending.reserve([{ subject, limit: total(15) }], 1)).rejects.toThrow(OverLimit);
    const daily = await spending.reserve([{ subject, limit: { nanos: 15, window: 'day' } }], 1);
    daily.settle(1);
    await spending.stop();
  });

  it('counts what has no limit, and leases nothing for it', async () => {
    const store = new MemoryStore();
    const spending = open(store);
    spending.count(subject, 7);
    await pass(1_000);
    expect(store).toMatchObject({ counter: { total: 7 }, leases: [] });
    spending.count(subject, 1);
    await spending.stop();
    expect(store).toMatchObject({ counter: { total: 8 }, leases: [] });
  });

  it('counts a call once, however long it took', async () => {
    const store = new MemoryStore();
    const spending = open(store);
    const limit = total(1_000);
    const reservation = await spending.reserve([{ subject, limit }], 300);
    await pass(120_000);
    reservation.settle(200);
    reservation.settle(200);
    await pass(2_000);
    expect(store).toMatchObject({ counter: { total: 200 }, leases: [] });
  });

  it('knows what is left of a limit, also of one that was changed', async () => {
    const store = new MemoryStore();
    const limit = total(1_000);
    const spending = open(store);
    expect(await spending.remaining({ subject, limit })).toBe(1_000);
    (await spending.reserve([{ subject, limit }], 300)).settle(200);
    await pass(1_000);
    expect(await spending.remaining({ subject, limit })).toBe(800);
    expect(await spending.remaining({ subject, limit: total(500) })).toBe(300);
    expect(await spending.remaining({ subject, limit: { nanos: 10, window: 'day' } })).toBe(-190);
    expect(await open(store).remaining({ subject, limit })).toBe(800);
    store.failure = 'before';
    expect(await open(store).remaining({ subject, limit })).toBe(1_000);
  });

  it('reserves for all spenders or for none', async () => {
    const store = new MemoryStore();
    const spending = open(store);
    const far = { subject, limit: total(1_000) };
    const report = store.report.bind(store);
    // The other subject has used up its limit.
    vi.spyOn(store, 'report').mockImplementation(async (batch, now) => {
      const [own, other] = [subject, 'workspace:1'].map((name) =>
        batch.reports.filter((each) => each.subject === name),
      );
      const grants = await report({ ...batch, reports: own ?? [] }, now);
      return [...grants, ...(other ?? []).map((each) => ({ subject: each.subject, leased: 0, spent: 9 }))];
    });
    await expect(
      spending.reserve([far, { subject: 'workspace:1', limit: total(9) }], 5),
    ).rejects.toMatchObject({ subject: 'workspace:1' });
    await pass(20_000);
    expect(store).toMatchObject({ counter: { total: 0 }, leases: [] });
    await spending.stop();
  });

  it('spends only what it has leased while the database is away, and reports it once', async () => {
    const store = new MemoryStore();
    const spending = open(store);
    const spenders = [{ subject, limit: total(100_000) }];
    (await spending.reserve(spenders, 100)).settle(100);
    await pass(1_000);
    const { leased } = store;
    expect(leased).toBe(1_000);
    for (const failure of ['before', 'after'] as const) {
      store.failure = failure;
      (await spending.reserve(spenders, 200)).settle(200);
      await pass(3_000);
    }
    (await spending.reserve(spenders, 500)).settle(500);
    await expect(spending.reserve(spenders, 200)).rejects.toMatchObject({ kind: 'unavailable' });
    store.failure = undefined;
    await pass(2_000);
    expect(store.counter.total).toBe(1_000);
    await spending.stop();
    expect(store.leased).toBe(0);
  });

  it('returns its lease when there are no more calls', async () => {
    const store = new MemoryStore();
    const spending = open(store);
    const spenders = [{ subject, limit: total(100_000) }];
    (await spending.reserve(spenders, 100)).settle(50);
    const inFlight = await spending.reserve(spenders, 100);
    await pass(9_000);
    expect(store.leased).toBe(1_100);
    await pass(4_000);
    expect(store.leased).toBe(100);
    await pass(60_000);
    expect(store.leased).toBe(100);
    inFlight.settle(70);
    await pass(2_000);
    expect(store).toMatchObject({ counter: { total: 120, writtenOff: 0 }, leases: [] });
    await spending.stop();
  });

  it('waits for calls of other processes that end soon', async () => {
    const store = new MemoryStore();
    const [one, other] = [open(store), open(store)];
    const spenders = [{ subject, limit: total(100) }];
    const first = await one.reserve(spenders, 80);
    const second = other.reserve(spenders, 75);
    await pass(500);
    first.settle(20);
    await pass(2_000);
    (await second).settle(20);
    await pass(1_000);
    const third = await one.reserve(spenders, 55);
    const refused = expect(other.reserve(spenders, 55)).rejects.toMatchObject({ spent: 40 });
    await pass(5_000);
    await refused;
    third.settle(0);
    await Promise.all([one.stop(), other.stop()]);
    expect(store).toMatchObject({ counter: { total: 40 }, leases: [] });
  });
});

it('takes back what was written off if a process was only slow', async () => {
  const store = new MemoryStore();
  const [slow, other] = [open(store), open(store)];
  const spenders = [{ subject, limit: total(1_000) }];
  const reservation = await slow.reserve(spenders, 400);
  const { leased } = store;
  // Its reports do not arrive.
  const { report } = store;
  store.report = (batch, now) =>
    batch.reports.some(({ inFlight, spent }) => inFlight === 400 || spent === 100)
      ? Promise.reject(databaseUnavailable(new Error('lost')))
      : report.call(store, batch, now);
  await pass(45_000);
  expect(store).toMatchObject({ counter: { total: leased, writtenOff: leased } });
  (await other.reserve(spenders, 1_000 - leased)).settle(0);
  reservation.settle(100);
  store.report = report;
  await pass(2_000);
  expect(store.counter).toMatchObject({ total: 100, writtenOff: 0 });
  await Promise.all([slow.stop(), other.stop()]);
});

describe('1,000 random schedules of processes that crash, lag and lose their database', () => {
  it.each([...Array(10).keys()])('keep within the limit (%i)', async (part) => {
    for (let index = 0; index < 100; index += 1) await runSchedule(createRandom(part * 100 + index));
  });
});

/** A process whose reports stop when it dies. */
class Process {
  readonly spending: Spending;
  isDead = false;

  constructor(store: MemoryStore) {
    const connection: Pick<SpendStore, 'report' | 'writeOff'> = {
      report: (batch, now) => (this.isDead ? new Promise(() => {}) : store.report(batch, now)),
      writeOff: async (now) => {
        if (!this.isDead) await store.writeOff(now);
      },
    };
    this.spending = createSpending({ store: connection, onFailure });
  }
}

interface RunningCall {
  readonly process: Process;
  readonly nanos: number;
  readonly reservation: Reservation;
}

async function runSchedule(random: Random): Promise<void> {
  const store = new MemoryStore();
  const limit = total(random.pick([300, 5_000, 100_000]));
  const costMax = Math.ceil(limit.nanos / random.pick([3, 20, 400]));
  let processes = Array.from({ length: 1 + random.below(4) }, () => new Process(store));
  let calls: RunningCall[] = [];
  /** The cost of calls that have ended, plus the maximum cost of others. */
  let asked = 0;
  /** The real spend, as far as anybody knows. */
  let settled = 0;
  let crashes = 0;
  let lostInFlight = 0;
  let failure: unknown;

  const start = (process: Process) => {
    const nanos = 1 + random.below(costMax);
    const started = async () => {
      const reservation = await process.spending.reserve([{ subject, limit }], nanos);
      if (process.isDead) return;
      asked += nanos;
      calls.push({ process, nanos, reservation });
      expect(asked).toBeLessThanOrEqual(limit.nanos);
    };
    started().catch((error: unknown) => {
      if (error instanceof OverLimit || (error as { kind?: string }).kind === 'unavailable') return;
      failure ??= error;
    });
  };
  const end = () => {
    if (calls.length === 0) return;
    const [call] = calls.splice(random.below(calls.length), 1) as [RunningCall];
    const cost = random.below(call.nanos + 1);
    asked -= call.nanos - cost;
    settled += cost;
    call.reservation.settle(cost);
  };
  const crash = (process: Process) => {
    const lost = calls.filter((call) => call.process === process);
    calls = calls.filter((call) => call.process !== process);
    lostInFlight += lost.reduce((sum, { nanos }) => sum + nanos, 0);
    crashes += 1;
    process.isDead = true;
    processes = processes.map((each) => (each === process ? new Process(store) : each));
  };

  for (let step = 0; step < 40; step += 1) {
    const process = random.pick(processes);
    const action = random.below(100);
    if (action < 50) start(process);
    else if (action < 80) end();
    else if (action < 83) crash(process);
    else if (action < 87) store.failure = random.pick(['before', 'after'] as const);
    else if (action < 93) store.failure = undefined;
    else store.delayMs = random.pick([0, 0, 50, 3_000]);
    await pass(random.pick([0, 0, 5, 200, 1_000, 15_000]));
  }
  store.failure = undefined;
  store.delayMs = 0;
  await pass(5_000);
  while (calls.length > 0) end();
  await pass(60_000);

  expect(failure).toBeUndefined();
  // Everything that was spent counts, and little else: what calls of processes that died may have
  // cost, and a slice of the limit or one call for each of them.
  const { counter } = store;
  expect(store.leased).toBe(0);
  expect(counter.total).toBeGreaterThanOrEqual(settled);
  const lostMax = lostInFlight + crashes * Math.max(limit.nanos / 100, costMax) * 2;
  expect(counter.total - settled).toBeLessThanOrEqual(lostMax);
  const rest = limit.nanos - counter.total;
  if (rest > 0) (await random.pick(processes).spending.reserve([{ subject, limit }], rest)).settle(rest);
  await Promise.all(processes.map(({ spending }) => spending.stop()));
  expect(store.counter.total).toBe(rest > 0 ? limit.nanos : counter.total);
  vi.clearAllTimers();
}
