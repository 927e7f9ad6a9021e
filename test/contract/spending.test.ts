import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { leaseMs, type SpendReport } from '../../src/core/budgets/lease.ts';
import type { SpendLimit } from '../../src/core/budgets/spend-limit.ts';
import { newId } from '../../src/core/identifiers.ts';
import { engines } from '../support/engines.ts';
import { createPresetStorage, type PresetStorage } from '../support/preset-storage.ts';

/** A Wednesday. */
const now = Date.parse('2026-11-18T12:30:00Z');
const dayMs = 86_400_000;
const none = { spent: 0, inFlight: 0, kept: 0, wanted: [], isActive: false };

describe.each(engines)('spending on %s', (engine) => {
  let preset: PresetStorage;
  let subject: string;
  beforeAll(async () => {
    preset = await createPresetStorage(engine);
  });
  afterAll(() => preset.close());
  beforeEach(() => {
    subject = `key:${newId()}`;
  });

  function report(
    holder: string,
    limit: SpendLimit | null,
    fields: Partial<SpendReport>,
    { id = newId(), at = now } = {},
  ) {
    const reports = [{ ...none, subject, limit, ...fields }];
    return preset.storage.spending.report({ id, holder, reports }, at).then(([grant]) => grant);
  }
  const counter = async (at = now) => (await preset.storage.spending.find([subject], at)).get(subject);
  const total = (nanos: number): SpendLimit => ({ nanos, window: 'total' });

  it('knows nothing of what was never reported', async () => {
    expect(await counter()).toBeUndefined();
  });

  it('counts by day, week and month', async () => {
    const spend = (spent: number, at: number) => report('a', null, { spent }, { at });
    await spend(1, now);
    await spend(10, now + dayMs);
    await spend(100, now + 5 * dayMs);
    expect(await counter(now + 5 * dayMs)).toMatchObject({ total: 111, month: 111, week: 100, day: 100 });
    expect(await counter(now + 6 * dayMs)).toMatchObject({ total: 111, month: 111, week: 100, day: 0 });
    expect(await counter(now + 13 * dayMs)).toMatchObject({ total: 111, month: 0, week: 0, day: 0 });
  });

  it('counts a report once that is sent again', async () => {
    const again = { id: newId() };
    const first = await report('a', total(1_000), { spent: 70, wanted: [100] }, again);
    expect(first).toEqual({ subject, leased: 100, spent: 70 });
    expect(await report('a', total(1_000), { spent: 70, wanted: [100] }, again)).toEqual(first);
    expect(await counter()).toMatchObject({ total: 70 });
  });

  it('never leases more than the limit', async () => {
    const limit = total(10_000);
    const grants = await Promise.all(
      [...Array(12).keys()].map((index) => report(`p${index}`, limit, { wanted: [900, 100] })),
    );
    const leased = grants.map((grant) => grant?.leased ?? 0);
    expect(leased.reduce((sum, nanos) => sum + nanos)).toBe(10_000);
    expect(leased.filter((nanos) => nanos === 1_000)).toHaveLength(10);
    await Promise.all([...Array(12).keys()].map((index) => report(`p${index}`, limit, { spent: 5 })));
    expect(await counter()).toMatchObject({ total: 60 });
    expect(await report('last', limit, { wanted: [9_940] })).toMatchObject({ leased: 9_940 });
  });

  it('leases a slice to processes that expect calls, and smaller ones near the limit', async () => {
    const active = { isActive: true };
    expect(await report('a', total(10_000), active)).toMatchObject({ leased: 100 });
    expect(await report('a', total(10_000), { ...active, spent: 9_000 })).toMatchObject({ leased: 62 });
    expect(await report('a', total(10_000), { ...active, spent: 984 })).toMatchObject({ leased: 1 });
    expect(await report('a', total(10_000), { ...active, spent: 16 })).toMatchObject({ leased: 0 });
  });

  it('lets a process keep what it goes on using, even if the limit is lowered', async () => {
    await report('a', total(10_000), { isActive: true });
    await report('b', total(10_000), { spent: 9_800 });
    expect(await report('a', total(10_000), { kept: 100, isActive: true })).toMatchObject({ leased: 100 });
    expect(await report('a', total(50), { kept: 100, isActive: true })).toMatchObject({ leased: 100 });
    expect(await report('a', total(50), { isActive: true })).toMatchObject({ leased: 0, spent: 9_800 });
  });

  it('the counter resets with each period of a limit', async () => {
    const limit: SpendLimit = { nanos: 100, window: 'day' };
    await report('a', limit, { wanted: [100] });
    expect(await report('a', limit, { spent: 100, wanted: [1] })).toMatchObject({ leased: 0, spent: 100 });
    const tomorrow = { at: now + dayMs };
    expect(await report('a', limit, { wanted: [1] }, tomorrow)).toMatchObject({ leased: 1, spent: 0 });
  });

  it('writes off the lease of a process that has died', async () => {
    const limit = total(1_000);
    await report('dead', limit, { wanted: [300] });
    await report('alive', limit, { wanted: [200] }, { at: now + leaseMs - 1 });
    const { spending } = preset.storage;
    await spending.writeOff(now + leaseMs - 1);
    expect(await counter()).toMatchObject({ total: 0, writtenOff: 0 });
    await spending.writeOff(now + leaseMs);
    await spending.writeOff(now + leaseMs + 1);
    expect(await counter()).toMatchObject({ total: 300, day: 300, writtenOff: 300 });
    const rest = await report('other', limit, { wanted: [500] }, { at: now + leaseMs });
    expect(rest).toMatchObject({ leased: 500, spent: 300 });
  });

  it('takes back what was written off if the process reports after all', async () => {
    const limit = total(1_000);
    await report('slow', limit, { wanted: [300] });
    const { spending } = preset.storage;
    await spending.writeOff(now + leaseMs);
    const later = now + leaseMs + 1_000;
    await report('slow', limit, { spent: 120 }, { at: later });
    expect(await counter()).toMatchObject({ total: 120, day: 120, writtenOff: 0 });
    // In another period, only the total and the periods that contain it change.
    await report('slow', limit, { wanted: [300] }, { at: later });
    await spending.writeOff(later + leaseMs);
    await report('b', null, { spent: 7 }, { at: later + dayMs / 2 });
    await report('slow', limit, { spent: 50 }, { at: later + dayMs / 2 });
    expect(await counter(later + dayMs / 2)).toMatchObject({ total: 177, day: 57, month: 177 });
  });

  it('forgets leases that nobody takes back, and goes on with others', async () => {
    const { spending } = preset.storage;
    const subjects = [...Array(150).keys()].map((index) => `${subject}/${index}`);
    const reports = subjects.map((name) => ({ ...none, subject: name, limit: total(10), wanted: [5] }));
    await spending.report({ id: newId(), holder: 'dead', reports }, now);
    for (const at of [1, 2]) await spending.writeOff(now + leaseMs + at);
    const written = [...(await spending.find(subjects, now)).values()];
    expect(written.filter(({ writtenOff }) => writtenOff === 5)).toHaveLength(150);
    for (const at of [1, 2]) await spending.writeOff(now + leaseMs + dayMs + at);
    // A report as late as this counts in addition.
    await spending.report(
      { id: newId(), holder: 'dead', reports: [{ ...none, subject: `${subject}/1`, limit: null, spent: 5 }] },
      now + 2 * dayMs,
    );
    expect((await spending.find([`${subject}/1`], now)).get(`${subject}/1`)).toMatchObject({ total: 10 });
  });
});
