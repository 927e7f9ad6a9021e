import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/core/identifiers.ts';
import { arrivalOf, type CallRecord, firstIdAt } from '../../src/core/ledger/call-record.ts';
import { quantilesOf } from '../../src/core/ledger/durations.ts';
import type {
  CallScope,
  FoundCalls,
  UsageFilter,
  UsageReport,
} from '../../src/core/ledger/ledger-storage.ts';
import type { Granularity, UsageDimensionName } from '../../src/core/ledger/usage-catalog.ts';
import { hoursOf, periodsOf } from '../../src/core/ledger/usage-periods.ts';
import { engines } from '../support/engines.ts';
import { createPresetStorage, owner, type PresetStorage } from '../support/preset-storage.ts';
import { createRandom } from '../support/random.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const start = Date.parse('2026-03-30T22:30:00Z');
const random = createRandom(41);

/** The id of a call that arrives at this time. */
function idAt(ms: number): string {
  return firstIdAt(ms).slice(0, 14) + newId().slice(14);
}

describe.each(engines)('the ledger on %s', (engine) => {
  let preset: PresetStorage;
  let calls: readonly CallRecord[];
  let scope: CallScope;
  beforeAll(async () => {
    preset = await createPresetStorage(engine);
    const { organizationId, workspaceId } = preset.workspace;
    scope = { organizationId };
    calls = Array.from({ length: 400 }, () => call(organizationId, workspaceId));
    for (let at = 0; at < calls.length; at += 50)
      await preset.storage.ledger.write({ id: newId(), calls: calls.slice(at, at + 50) }, true);
  });
  afterAll(() => preset.close());

  const keys = [newId(), newId()];
  function call(organizationId: string, workspaceId: string): CallRecord {
    const version = random.pick([null, 1, 2]);
    return {
      id: idAt(start + random.below(40 * 24) * hourMs + random.below(hourMs)),
      group: {
        organizationId,
        workspaceId,
        keyId: random.pick([null, ...keys]),
        userId: owner.id,
        presetId: null,
        presetSlug: version === null ? null : 'bot',
        version,
        selection: version === null ? null : random.pick(['live', 'label']),
        label: random.pick([null, 'staging']),
        model: random.pick(['a/one', 'b/two', null]),
        upstream: random.pick(['main', 'other']),
        dialect: 'messages',
        status: random.pick([200, 200, 429, 502]),
        purpose: random.pick(['call', 'workbench']),
      },
      requestedModel: random.pick([null, 'a/one']),
      requestedPreset: random.pick([null, 'bott']),
      errorCode: random.pick([null, 'upstream_timeout', 'upstream_error']),
      errorMessage: random.pick([null, 'The upstream "main" returned 502.']),
      respondingModel: 'one-2026',
      upstreamId: `resp_${random.below(1_000_000)}`,
      finishReason: random.pick(['stop', 'length']),
      tokens: {
        input: random.pick([null, random.below(9_000)]),
        cached: random.below(100),
        cacheWrite: null,
        output: random.below(900),
        reasoning: random.below(10),
      },
      isEstimated: random.below(9) === 0,
      cost: random.pick([
        { nanos: null, source: null, price: null },
        { nanos: random.below(1e9), source: 'file', price: { inputPerMillion: 3 } },
        { nanos: random.below(1e9), source: 'upstream', price: null },
      ]),
      firstTokenMs: random.pick([null, random.below(900)]),
      totalMs: random.below(60_000) / 7,
      presetdMs: 0.25,
      isStreamed: random.below(2) === 0,
      fallbacks: random.pick([[], ['b;429']]),
      sessionId: random.pick([null, 's-1', 's-2']),
      endUser: null,
      appTitle: random.pick([null, 'An app']),
      referer: null,
    };
  }

  const newestFirst = () => calls.toSorted((one, other) => (one.id < other.id ? 1 : -1));
  const range = {
    fromId: firstIdAt(0),
    beforeId: firstIdAt(start + 400 * dayMs),
    filters: [],
    limit: 30,
    searchMax: 1_000_000,
  };
  const none = { calls: [], searchedTo: null };

  it('a call is found by its id, with everything that was recorded', async () => {
    const [first, ...others] = calls;
    const found = await preset.storage.ledger.find(scope, first?.id ?? '');
    expect(found).toMatchObject({ ...first, totalMs: expect.closeTo(first?.totalMs ?? 0, 1) });
    expect(found).toMatchObject({ keyLabel: null, userEmail: owner.email });
    for (const other of others.slice(0, 5))
      expect(await preset.storage.ledger.findByUpstreamId(scope, other.upstreamId ?? '')).toMatchObject({
        upstreamId: other.upstreamId,
      });
  });

  it.each<[string, Partial<CallScope>]>([
    ['another organization', { organizationId: newId() }],
    ['other workspaces', { workspaceIds: [newId()] }],
    ['another key', { keyId: newId() }],
  ])('a call is not found in the scope of %s', async (_, changes) => {
    const { ledger } = preset.storage;
    const other = { ...scope, ...changes };
    const [first] = calls;
    expect(await ledger.find(other, first?.id ?? '')).toBeUndefined();
    expect(await ledger.findByUpstreamId(other, first?.upstreamId ?? '')).toBeUndefined();
    expect(await ledger.list(other, range)).toEqual(none);
    const report = { ...countAll, ...allTime };
    expect(await ledger.report(other, report)).toEqual([]);
  });

  const dimensionOf = ({ group, ...record }: CallRecord, name: UsageDimensionName) =>
    (
      ({
        model: group.model,
        upstream: group.upstream,
        preset_version: group.version,
        status: group.status,
        purpose: group.purpose,
        selection: group.selection,
        api_key_id: group.keyId,
        workspace: group.workspaceId,
        error_code: record.errorCode,
        session_id: record.sessionId,
        finish_reason: record.finishReason,
        app: record.appTitle,
      }) as Partial<Record<UsageDimensionName, string | number | null>>
    )[name] ?? null;

  const filterSets: readonly (readonly UsageFilter[])[] = [
    [],
    [{ dimension: 'model', operator: 'eq', values: ['a/one'], includesUnset: false }],
    [{ dimension: 'model', operator: 'neq', values: ['a/one'], includesUnset: true }],
    [{ dimension: 'status', operator: 'gte', values: [400], includesUnset: false }],
    [
      { dimension: 'purpose', operator: 'eq', values: ['call'], includesUnset: false },
      { dimension: 'preset_version', operator: 'in', values: [1, 2], includesUnset: false },
    ],
    [{ dimension: 'api_key_id', operator: 'not_in', values: [keys[0] ?? ''], includesUnset: false }],
    [{ dimension: 'session_id', operator: 'in', values: ['s-1'], includesUnset: true }],
    [{ dimension: 'error_code', operator: 'eq', values: ['upstream_timeout'], includesUnset: false }],
  ];

  function meets(record: CallRecord, { dimension, operator, values, includesUnset }: UsageFilter): boolean {
    const value = dimensionOf(record, dimension);
    if (value === null) return includesUnset;
    if (operator === 'gte') return value >= (values[0] ?? 0);
    return values.includes(value) === (operator === 'eq' || operator === 'in');
  }

  it.each(filterSets)(
    'calls are listed by page, newest first, with the filters %j %j',
    async (...filters) => {
      const given = filters.filter((filter) => filter !== undefined);
      const expected = newestFirst().filter((record) => given.every((filter) => meets(record, filter)));
      const listed: string[] = [];
      for (let beforeId = range.beforeId; ; ) {
        const { calls: page } = await preset.storage.ledger.list(scope, {
          ...range,
          beforeId,
          filters: given,
        });
        listed.push(...page.map(({ id }) => id));
        if (page.length < range.limit) break;
        beforeId = page.at(-1)?.id ?? '';
      }
      expect(listed).toEqual(expected.map(({ id }) => id));
    },
  );

  const countAll = { metrics: ['request_count'], dimensions: [], filters: [] } as const;
  const within = (from: number, to: number) => ({ range: hoursOf(from, to), granularity: undefined });
  const allTime = within(start - dayMs, start + 50 * dayMs);
  const dimensionSets: readonly (readonly UsageDimensionName[])[] = [
    [],
    ['model'],
    ['preset_version', 'upstream'],
    ['status'],
    ['finish_reason', 'model'],
    ['error_code', 'status'],
  ];

  const reports = dimensionSets.flatMap((dimensions, index) =>
    filterSets.map((filters, at) => ({
      dimensions,
      filters,
      granularity: (['hour', 'day', 'week', 'month', undefined] as const)[(index + at) % 5],
    })),
  );

  it.each(reports)(
    'sums and quantiles agree with the calls: %j',
    async ({ dimensions, filters, granularity }) => {
      const from = start + 3 * hourMs;
      const to = start + 35 * dayMs + 5 * hourMs;
      const range = hoursOf(from, to);
      const periods = periodsOf(range, granularity);
      const report: UsageReport = {
        metrics: ['request_count', 'latency_p50', 'latency_p99', 'first_token_p95'],
        dimensions,
        filters,
        range,
        granularity,
      };
      const rows = await preset.storage.ledger.report(scope, report);
      const expected = new Map<string, CallRecord[]>();
      for (const record of calls) {
        const hour = Math.floor(Number.parseInt(record.id.slice(0, 8) + record.id.slice(9, 13), 16) / hourMs);
        const segment = periods.find((each) => each.start <= hour && hour < each.end);
        if (segment === undefined || !filters.every((filter) => meets(record, filter))) continue;
        const key = JSON.stringify([segment.period, ...dimensions.map((name) => dimensionOf(record, name))]);
        expected.set(key, [...(expected.get(key) ?? []), record]);
      }
      const byKey = new Map(rows.map((row) => [JSON.stringify([row.period, ...row.dimensions]), row]));
      expect([...byKey.keys()].toSorted()).toEqual([...expected.keys()].toSorted());
      const asksForStatus = [...dimensions, ...filters.map(({ dimension }) => dimension)].includes('status');
      for (const [key, records] of expected) {
        const sum = (of: (record: CallRecord) => number | null) =>
          records.reduce((total, record) => total + (of(record) ?? 0), 0);
        const row = byKey.get(key);
        expect(row).toMatchObject({
          calls: records.length,
          errorCalls: sum(({ group }) => (group.status >= 400 ? 1 : 0)),
          freeErrorCalls: sum(({ group, cost }) => (group.status >= 400 && cost.nanos === 0 ? 1 : 0)),
          estimatedCalls: sum(({ isEstimated }) => (isEstimated ? 1 : 0)),
          freeCalls: sum(({ cost }) => (cost.nanos === 0 ? 1 : 0)),
          unpricedCalls: sum(({ cost }) => (cost.nanos === null ? 1 : 0)),
          streamedCalls: sum(({ isStreamed }) => (isStreamed ? 1 : 0)),
          inputTokens: sum(({ tokens }) => tokens.input),
          outputTokens: sum(({ tokens }) => tokens.output),
          reasoningTokens: sum(({ tokens }) => tokens.reasoning),
          cachedTokens: sum(({ tokens }) => tokens.cached),
          costNanos: sum(({ cost }) => cost.nanos),
        });
        const measured = records.filter(({ group }) => asksForStatus || group.status < 400);
        for (const [name, share, of] of [
          ['durations', 0.5, ({ totalMs }: CallRecord) => totalMs],
          ['durations', 0.99, ({ totalMs }: CallRecord) => totalMs],
          ['firstTokenDurations', 0.95, ({ firstTokenMs }: CallRecord) => firstTokenMs],
        ] as const) {
          const sorted = measured
            .map(of)
            .filter((ms) => ms !== null)
            .toSorted((a, b) => a - b);
          const exact = sorted[Math.ceil(share * sorted.length) - 1];
          const [quantile] = quantilesOf(row?.[name] ?? '', [share]);
          if (exact === undefined) expect(quantile).toBeUndefined();
          // The first bucket is a millisecond wide.
          else expect(Math.abs((quantile ?? -1) - exact)).toBeLessThanOrEqual(Math.max(1, exact * 0.0101));
        }
      }
    },
  );

  it('a rare call is listed behind thousands of others', async () => {
    const { ledger } = preset.storage;
    const at = start + 300 * dayMs;
    const [template] = calls as readonly [CallRecord];
    const common = Array.from({ length: 10_500 }, (_, index) => ({ ...template, id: idAt(at + index) }));
    const rare = [1, 2, 3].map((age) => ({
      ...template,
      id: idAt(at - age),
      group: { ...template.group, model: 'rare' },
      sessionId: `session ${age}`,
    }));
    await ledger.write({ id: newId(), calls: [...common, ...rare] }, true);
    const page = { ...range, fromId: firstIdAt(at - 5), beforeId: firstIdAt(at + 20_000), limit: 2 };
    const of = (dimension: UsageDimensionName, value: string): UsageFilter => ({
      dimension,
      operator: 'eq',
      values: [value],
      includesUnset: false,
    });
    const listed = async (...filters: readonly UsageFilter[]) =>
      (await ledger.list(scope, { ...page, filters })).calls.map(({ id }) => id);
    const [newest, second, third] = rare.map(({ id }) => id);
    expect(await listed(of('model', 'rare'))).toEqual([newest, second]);
    expect(await listed(of('model', 'rare'), of('session_id', 'session 3'))).toEqual([third]);
    expect(await listed()).toEqual(
      common
        .slice(-2)
        .toReversed()
        .map(({ id }) => id),
    );

    // Nothing counts sessions, so each request searches a part of the calls.
    const filters = [{ ...of('session_id', 'session 1'), values: ['session 1', 'session 3'] }];
    const searches: (readonly string[])[] = [];
    for (let beforeId: string | null = page.beforeId; beforeId !== null; ) {
      const search: FoundCalls = await ledger.list(scope, { ...page, filters, beforeId, searchMax: 4_000 });
      searches.push(search.calls.map(({ id }) => id));
      beforeId = search.searchedTo;
      expect([null, firstIdAt(arrivalOf(beforeId ?? ''))]).toContain(beforeId);
    }
    expect(searches).toEqual([[], [], [newest, third]]);
  });

  it('a rare call is listed hours before others, which are not searched', async () => {
    const { ledger } = preset.storage;
    const [template] = calls as readonly [CallRecord];
    const at = start + 330 * dayMs;
    const rare = { ...template, id: idAt(at), group: { ...template.group, model: 'once' } };
    const common = [10, 20, 30].flatMap((hours) =>
      Array.from({ length: 6_000 }, (_, index) => ({ ...template, id: idAt(at + hours * hourMs + index) })),
    );
    await ledger.write({ id: newId(), calls: [rare, ...common] }, true);
    const found = await ledger.list(scope, {
      filters: [{ dimension: 'model', operator: 'eq', values: ['once'], includesUnset: false }],
      fromId: firstIdAt(at - 1),
      beforeId: firstIdAt(at + 2 * dayMs),
      limit: 10,
      searchMax: 10_000,
    });
    expect(found.calls.map(({ id }) => id)).toEqual([rare.id]);
  });

  it('a call is found by its upstream id among calls of thousands of seconds and of many hours', async () => {
    const { ledger } = preset.storage;
    const [template] = calls as readonly [CallRecord];
    const at = start + 340 * dayMs;
    const bySecond = Array.from({ length: 2_500 }, (_, second) => ({
      ...template,
      id: idAt(at + second * 1_000),
      upstreamId: `second ${second}`,
    }));
    await ledger.write({ id: newId(), calls: bySecond }, true);
    for (let hour = 1; hour <= 5; hour += 1) {
      const id = idAt(at + hour * hourMs);
      await ledger.write({ id: newId(), calls: [{ ...template, id, upstreamId: `hour ${hour}` }] }, true);
    }
    for (const wanted of ['second 0', 'second 1234', 'second 2499', 'hour 1', 'hour 5'])
      expect(await ledger.findByUpstreamId(scope, wanted)).toMatchObject({ upstreamId: wanted });
    expect(await ledger.findByUpstreamId(scope, 'second 2500')).toBeUndefined();
  });

  it('durations stay exact and short however many calls a group has', async () => {
    const { ledger } = preset.storage;
    const at = start - 20 * dayMs;
    const batches = Array.from({ length: 12 }, (_, batch) =>
      Array.from({ length: 200 }, (_, index) => ({
        ...(calls[0] as CallRecord),
        id: idAt(at),
        group: { ...(calls[0] as CallRecord).group, status: 200 },
        totalMs: 2 ** (index % 8),
        firstTokenMs: batch + 1,
      })),
    );
    for (const batch of batches) await ledger.write({ id: newId(), calls: batch }, false);
    const [row] = await ledger.report(scope, {
      ...countAll,
      metrics: ['latency_p50', 'first_token_p50'],
      ...within(at, at + dayMs),
    });
    expect(row?.calls).toBe(2_400);
    expect(row?.durations.length).toBeLessThan(2_000);
    const within1Percent = (ms: number) => [expect.closeTo(ms, 0)];
    expect(quantilesOf(row?.durations ?? '', [0.5])).toEqual(within1Percent(8));
    expect(quantilesOf(row?.durations ?? '', [0.51])).toEqual(within1Percent(16));
    expect(quantilesOf(row?.firstTokenDurations ?? '', [0.5])).toEqual(within1Percent(6));
  });

  it('a batch that is written again is not counted again', async () => {
    const { ledger } = preset.storage;
    const batch = { id: newId(), calls: [{ ...(calls[0] as CallRecord), id: idAt(start - 10 * dayMs) }] };
    await ledger.write(batch, true);
    await ledger.write(batch, true);
    const [row] = await ledger.report(scope, {
      ...countAll,
      ...within(start - 11 * dayMs, start - 9 * dayMs),
    });
    expect(row?.calls).toBe(1);
  });

  it('calls that are only counted are not stored, and old calls are deleted in parts', async () => {
    const { ledger } = preset.storage;
    const old = Array.from({ length: 5 }, () => ({
      ...(calls[0] as CallRecord),
      id: idAt(start - 30 * dayMs),
    }));
    await ledger.write({ id: newId(), calls: old.slice(0, 2) }, false);
    await ledger.write({ id: newId(), calls: old.slice(2) }, true);
    const page = { ...range, beforeId: firstIdAt(start - 20 * dayMs) };
    expect((await ledger.list(scope, page)).calls).toHaveLength(3);
    expect(await ledger.deleteCallsBefore(page.beforeId, 2)).toBe(2);
    expect(await ledger.deleteCallsBefore(page.beforeId, 2)).toBe(1);
    expect(await ledger.list(scope, page)).toEqual(none);
    const [row] = await ledger.report(scope, {
      ...countAll,
      ...within(start - 31 * dayMs, start - 29 * dayMs),
    });
    expect(row?.calls).toBe(5);
  });

  it('names are found by id, and presets by slug', async () => {
    const { ledger } = preset.storage;
    const { organizationId, workspaceId } = preset.workspace;
    expect(await ledger.names('users', [owner.id, 'nobody'])).toEqual(new Map([[owner.id, owner.email]]));
    expect([...(await ledger.names('workspaces', [workspaceId, newId()])).keys()]).toEqual([workspaceId]);
    expect(await ledger.names('keys', [newId()])).toEqual(new Map());
    expect(await ledger.findPresets({ organizationId }, ['none'])).toEqual([]);
  });

  it('presets are found in the workspaces of the scope only', async () => {
    const { ledger } = preset.storage;
    const { organizationId, workspaceId } = preset.workspace;
    const { id } = await preset.create('scoped');
    for (const workspaceIds of [undefined, [workspaceId], [newId(), workspaceId]])
      expect(await ledger.findPresets({ organizationId, workspaceIds }, ['scoped', 'none'])).toEqual([
        { id, slug: 'scoped' },
      ]);
    for (const workspaceIds of [[], [newId()]])
      expect(await ledger.findPresets({ organizationId, workspaceIds }, ['scoped'])).toEqual([]);
  });

  it.each<readonly [UsageDimensionName | undefined, Granularity | undefined]>([
    [undefined, undefined],
    [undefined, 'month'],
    ['session_id', undefined],
    ['session_id', 'month'],
  ])(
    'a report by %s and %s since 1970 only reads the time in which there are calls',
    async (name, granularity) => {
      const { ledger } = preset.storage;
      const report: UsageReport = {
        metrics: ['request_count'],
        dimensions: name === undefined ? [] : [name],
        filters: [],
        range: hoursOf(0, start + 45 * dayMs),
        granularity,
      };
      // A part for each hour since 1970 would take longer than a test may.
      const rows = await ledger.report(scope, report);
      expect(rows.reduce((total, row) => total + row.calls, 0)).toBeGreaterThanOrEqual(400);
      if (granularity === undefined) expect(rows[0]?.period).toBe(0);
      const nobody = { organizationId: newId() };
      expect(await ledger.report(nobody, report)).toEqual([]);
    },
  );

  it('a call of a server whose clock is wrong is found by its upstream id, and does not hide others', async () => {
    const { ledger } = preset.storage;
    const [template] = calls as readonly [CallRecord];
    const future = { ...template, id: idAt(Date.now() + 40_000 * dayMs), upstreamId: 'future' };
    await ledger.write({ id: newId(), calls: [future] }, true);
    const past = { ...template, id: idAt(dayMs), upstreamId: 'past' };
    await ledger.write({ id: newId(), calls: [past] }, true);
    for (const id of [template.upstreamId ?? '', 'future', 'past'])
      expect(await ledger.findByUpstreamId(scope, id)).toMatchObject({ upstreamId: id });
  });
});
