import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../src/core/identifiers.ts';
import { type CallRecord, type Cost, firstIdAt } from '../../src/core/ledger/call-record.ts';
import { costOf, type Price } from '../../src/core/ledger/price.ts';
import { type PriceCall, type Repricing, reprice } from '../../src/core/ledger/reprice.ts';
import { resolutions } from '../../src/core/ledger/rollup.ts';
import { hashSecret } from '../../src/core/organization/api-key.ts';
import type { Caller } from '../../src/core/organization/caller.ts';
import type { Storage } from '../../src/core/storage.ts';
import { callIdAt, callRecord } from '../support/call-records.ts';
import { engines } from '../support/engines.ts';
import { createOrganizationStorage, type OrganizationStorage } from '../support/organization-storage.ts';
import { owner, time } from '../support/preset-storage.ts';

const secret = 'a-secret-of-a-management-key';
const hourMs = 3_600_000;
const start = Date.parse('2026-03-30T22:00:00Z');
const period = { from: start, to: start + 100 * hourMs };
const oldPrice: Price = { inputPerMillion: 3 };
const newPrice: Price = { inputPerMillion: 4, outputPerMillion: 10 };

describe.each(engines)('repricing on %s', (engine) => {
  let preset: OrganizationStorage;
  let caller: Caller;
  beforeEach(async () => {
    preset = await createOrganizationStorage(engine);
    await preset.createKey(preset.newKey({ kind: 'management' }, secret));
    caller = (await preset.storage.keys.find(hashSecret(secret))) ?? expect.fail('no key');
  });
  afterEach(() => preset.close());

  const call = (at: number, changes: Parameters<typeof callRecord>[1] = {}) => {
    const tokens = { input: 1_000, cached: null, cacheWrite: null, output: 100, reasoning: null };
    const cost: Cost = { nanos: costOf(tokens, oldPrice) ?? null, source: 'file', price: oldPrice };
    return callRecord(preset.workspace, { id: callIdAt(at), tokens, cost, ...changes });
  };
  const write = (calls: readonly CallRecord[], keepsCalls = true, { ledger }: Storage = preset.storage) =>
    ledger.write({ id: newId(), calls }, keepsCalls);

  /** Prices every call by the new price, unless its cost is not to be computed. */
  const priceNow: PriceCall = async ({ cost, tokens, model }) => {
    if (cost.source === 'upstream' || cost.source === 'free' || model === 'gone') return undefined;
    return { nanos: costOf(tokens, newPrice) ?? null, source: 'file', price: newPrice };
  };

  interface RunOptions {
    readonly isDryRun?: boolean;
    readonly stopAfter?: number;
    readonly onStep?: () => Promise<unknown>;
    readonly storage?: Storage;
    readonly currentCaller?: () => Caller;
  }

  async function run({
    isDryRun = false,
    stopAfter = Infinity,
    onStep,
    storage,
    currentCaller = () => caller,
  }: RunOptions = {}) {
    const { ledger } = storage ?? preset.storage;
    const request = { caller, ...period, isDryRun };
    let result: Repricing | undefined;
    let steps = 0;
    for await (const step of reprice(ledger, request, priceNow, () => time(0), currentCaller)) {
      await onStep?.();
      result = step.result;
      if (++steps >= stopAfter) break;
    }
    return result;
  }

  /** What the calls cost, by the calls themselves and by the sums of each resolution. */
  async function costs() {
    const sumOf = async (sql: string) => {
      const [row] = await preset.database.sql(sql);
      return [row?.cost, row?.unpriced, row?.calls, row?.free].map((sum) => Number(sum ?? 0));
    };
    const calls = await sumOf(`SELECT sum(cost_nanos) AS cost, count(*) AS calls,
      count(CASE WHEN cost_nanos IS NULL THEN 1 END) AS unpriced,
      count(CASE WHEN cost_nanos = 0 THEN 1 END) AS free FROM calls`);
    const totals = resolutions.map((resolution) =>
      sumOf(`SELECT sum(cost_nanos) AS cost, sum(unpriced_calls) AS unpriced, sum(calls) AS calls,
        sum(free_calls) AS free
        FROM call_totals WHERE resolution = ${resolution}`),
    );
    return { calls, totals: await Promise.all(totals) };
  }

  async function expectConsistentSums(): Promise<readonly number[]> {
    const { calls, totals } = await costs();
    expect(totals).toEqual([calls, calls]);
    return calls.slice(0, 3);
  }

  const events = () =>
    preset.database.sql(
      `SELECT kind, before, after, actor_id FROM audit_events WHERE kind = 'usage.repriced'`,
    );

  it('computed costs follow the prices of today, and sums of hours and days with them', async () => {
    const others: readonly Cost[] = [
      { nanos: 7, source: 'upstream', price: null },
      { nanos: 0, source: 'free', price: null },
    ];
    await write([
      ...[0, 1, 30, 99].map((hour) => call(start + hour * hourMs)),
      call(start, { cost: { nanos: null, source: null, price: null }, group: { model: 'new' } }),
      ...others.map((cost) => call(start, { cost })),
      call(start, { group: { model: 'gone' } }),
      // Not in the period.
      call(period.from - 1),
      call(period.to),
    ]);
    const before = await costs();
    const range = { start: start / hourMs, end: start / hourMs + 100 };
    const models = [
      { model: 'm', calls: 4, unpricedCalls: 0, oldNanos: 4 * 3_000_000, newNanos: 4 * 5_000_000 },
      { model: 'new', calls: 1, unpricedCalls: 1, oldNanos: 0, newNanos: 5_000_000 },
    ].map((row) => ({ upstream: 'main', ...row }));
    const expected = { range, examinedCalls: 8, unreachableCalls: 0, models };
    expect(await run({ isDryRun: true })).toEqual(expected);
    expect(await costs()).toEqual(before);
    expect(await events()).toEqual([]);

    expect(await run()).toEqual(expected);
    expect(await expectConsistentSums()).toEqual([5 * 5_000_000 + 7 + 3 * 3_000_000, 0, 10]);
    const { calls: stored } = await preset.storage.ledger.list(
      { organizationId: preset.workspace.organizationId },
      { filters: [], fromId: firstIdAt(start), beforeId: firstIdAt(start + 2), limit: 99, searchMax: 1_000 },
    );
    expect(stored.find(({ group }) => group.model === 'new')?.cost).toEqual({
      nanos: 5_000_000,
      source: 'file',
      price: newPrice,
    });
  });

  it('a correction is one audit event with range and totals, and repeating it finds nothing to do', async () => {
    await write([call(start), call(start + hourMs)]);
    await run();
    expect((await run())?.models).toEqual([]);
    const [event, ...more] = await events();
    expect(more).toEqual([]);
    const json = (value: unknown) => (typeof value === 'string' ? JSON.parse(value) : value);
    const range = { from: '2026-03-30T22:00:00.000Z', to: '2026-04-04T02:00:00.000Z', calls: 2 };
    expect(json(event?.before)).toEqual({ ...range, cost: 0.006 });
    expect(json(event?.after)).toEqual({ ...range, cost: 0.01 });
    expect(event?.actor_id).toBe(owner.id);
  });

  it('calls that are only counted, or deleted, are out of reach, and the result says how many', async () => {
    await write([call(start), call(start + 90 * hourMs)]);
    await write([call(start), call(start)], false);
    await preset.storage.ledger.deleteCallsBefore(firstIdAt(start + hourMs), 100);
    expect(await run()).toMatchObject({ examinedCalls: 1, unreachableCalls: 3, models: [{ calls: 1 }] });
  });

  it('an interrupted correction leaves sums that match the calls, and the next one does the rest', async () => {
    await write(Array.from({ length: 1_200 }, (_, index) => call(start + index * 100_000)));
    // Three steps compare all calls. The fourth changes the first chunk.
    await run({ stopAfter: 4 });
    expect(await expectConsistentSums()).toEqual([500 * 5_000_000 + 700 * 3_000_000, 0, 1_200]);
    expect(await run()).toMatchObject({ examinedCalls: 1_200, models: [{ calls: 700 }] });
    expect(await expectConsistentSums()).toEqual([1_200 * 5_000_000, 0, 1_200]);
  });

  it('a caller who loses access before the change changes nothing, and later no more than was changed', async () => {
    await write(Array.from({ length: 600 }, (_, index) => call(start + index * 100_000)));
    const former = { ...caller, ownerRole: 'org:member' } as const;
    let asked = 0;
    await expect(run({ currentCaller: () => (++asked > 1 ? former : caller) })).rejects.toMatchObject({
      kind: 'forbidden',
    });
    expect(await expectConsistentSums()).toEqual([500 * 5_000_000 + 100 * 3_000_000, 0, 600]);
    const before = await events();
    await preset.database.sql(`UPDATE memberships SET role = 'org:member'`);
    await expect(run()).rejects.toMatchObject({ kind: 'forbidden' });
    expect(await expectConsistentSums()).toEqual([500 * 5_000_000 + 100 * 3_000_000, 0, 600]);
    expect(await events()).toEqual(before);
  });

  it('no write of the ledger is lost while costs change, and no change is counted twice', async () => {
    const times = Array.from({ length: 1_200 }, (_, index) => start + index * 100_000);
    await write(times.map((at) => call(at)));
    const other = await preset.open();
    const writing = (async () => {
      for (let batch = 0; batch < 30; batch += 1)
        await write(
          times.slice(batch * 10, batch * 10 + 200).map((at) => call(at)),
          true,
          other,
        );
    })();
    await Promise.all([run(), run({ storage: other }), run({ storage: await preset.open() }), writing]);
    const [, , count] = await expectConsistentSums();
    expect(count).toBe(1_200 + 30 * 200);
    await run();
    expect(await expectConsistentSums()).toEqual([7_200 * 5_000_000, 0, 7_200]);
  });

  it('calls that are deleted while costs change keep their part of the sums', async () => {
    await write(Array.from({ length: 1_200 }, (_, index) => call(start + index * 100_000)));
    const [total = 0] = (await costs()).calls;
    const { ledger } = preset.storage;
    const result = await run({
      onStep: () => ledger.deleteCallsBefore(firstIdAt(start + 40 * hourMs), 100),
    });
    const changed = result?.models[0]?.calls ?? 0;
    expect(changed).toBeLessThan(1_200);
    const { totals } = await costs();
    for (const [sum] of totals) expect(sum).toBe(total + changed * 2_000_000);
  });

  it('the calls of another organization stay as they are', async () => {
    const other = await preset.addWorkspace('another');
    await write([callRecord(other, { id: callIdAt(start) })]);
    expect(await run()).toMatchObject({ examinedCalls: 0, unreachableCalls: 0, models: [] });
  });
});
