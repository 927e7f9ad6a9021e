import type { Clock } from '../clock.ts';
import { actorFrom } from '../organization/actor.ts';
import type { Caller } from '../organization/caller.ts';
import { requireAdmin } from '../organization/organization-access.ts';
import { type OrganizationEvent, organizationEvent } from '../organization/organization-event.ts';
import { invalidField } from '../request-issues.ts';
import { type Cost, firstIdAt } from './call-record.ts';
import type { CountedCall, CountedCostChange, LedgerStore } from './ledger-storage.ts';
import { toDollars } from './price.ts';
import { type HourRange, hourMs, hoursOf } from './usage-periods.ts';

/** Returns today's cost of a call; undefined if unknown, or if its cost was not computed. */
export type PriceCall = (call: CountedCall) => Promise<Cost | undefined>;

interface RepriceRequest {
  readonly caller: Caller;
  /** In milliseconds since 1970. The range is widened to full hours. */
  readonly from: number;
  readonly to: number;
  readonly isDryRun: boolean;
}

/** The result of a repricing, or of its dry run. */
export interface Repricing {
  readonly range: HourRange;
  /** Stored calls in the range. */
  readonly examinedCalls: number;
  /** Calls that are counted in sums but not stored any more. Their costs stay as they are. */
  readonly unreachableCalls: number;
  /** The calls whose cost changes, by model. */
  readonly models: readonly ModelRepricing[];
}

interface ModelRepricing {
  readonly model: string | null;
  readonly upstream: string | null;
  readonly calls: number;
  /** Those of unknown cost before. After it, there are none. */
  readonly unpricedCalls: number;
  readonly oldNanos: number;
  readonly newNanos: number;
}

export interface RepriceStep {
  readonly examinedCalls: number;
  /** How many calls will be examined, if that is known. */
  readonly expectedCalls: number;
  /** In the last step. */
  readonly result?: Repricing;
}

type RepriceStore = Pick<LedgerStore, 'report' | 'listCounted' | 'changeCosts' | 'recordRepricing'>;

/** Keeps each transaction so short that other writes hardly wait for it. */
const callsPerWrite = 500;

/**
 * Computes the costs of a period again, with the prices of today. Tokens stay as they are, and so
 * do costs that upstreams reported. A call whose price nobody knows today keeps its cost.
 *
 * Compares all calls first. If costs differ and it is no dry run, it stores an audit event that
 * says what will change, and then changes it in a second pass. Each chunk of calls is a transaction
 * that also corrects the sums, so an interrupted run can be repeated, and does the rest.
 */
export async function* reprice(
  store: RepriceStore,
  { caller, from, to, isDryRun }: RepriceRequest,
  price: PriceCall,
  clock: Clock,
  /** Called before each chunk that changes costs: a long run stops when the caller loses access. */
  currentCaller: () => Caller | Promise<Caller>,
): AsyncGenerator<RepriceStep> {
  const action = 'Repricing calls';
  const { organizationId } = requireAdmin(caller, action);
  if (to <= from) throw invalidField('/to', 'must be after from');
  const range = hoursOf(from, to);
  const expectedCalls = await countCalls(store, organizationId, range);
  const compared = new RepricingTally();
  for await (const chunk of changesIn(store, organizationId, range, price)) {
    compared.add(chunk.calls.length, chunk.changes);
    yield { examinedCalls: compared.examinedCalls, expectedCalls };
  }
  const { examinedCalls } = compared;
  const unreachableCalls = Math.max(0, expectedCalls - examinedCalls);
  const result = { range, unreachableCalls, examinedCalls, models: compared.models };
  if (isDryRun || result.models.length === 0) {
    yield { examinedCalls, expectedCalls: examinedCalls, result };
    return;
  }

  const actor = actorFrom(caller, clock, (current) => requireAdmin(current, action));
  await store.recordRepricing(organizationId, actor, clock(), eventOf(organizationId, result));
  const changed = new RepricingTally();
  for await (const chunk of changesIn(store, organizationId, range, price)) {
    requireAdmin(await currentCaller(), action);
    changed.add(chunk.calls.length, await store.changeCosts(chunk.changes));
    yield { examinedCalls: changed.examinedCalls, expectedCalls: examinedCalls };
  }
  yield { examinedCalls, expectedCalls: examinedCalls, result: { ...result, models: changed.models } };
}

async function countCalls(store: RepriceStore, organizationId: string, range: HourRange): Promise<number> {
  const report = { metrics: [], dimensions: [], filters: [], range, granularity: undefined };
  const [row] = await store.report({ organizationId }, report);
  return row?.calls ?? 0;
}

interface Chunk {
  readonly calls: readonly CountedCall[];
  readonly changes: readonly CountedCostChange[];
}

async function* changesIn(
  store: RepriceStore,
  organizationId: string,
  { start, end }: HourRange,
  price: PriceCall,
): AsyncGenerator<Chunk> {
  const beforeId = firstIdAt(end * hourMs);
  let afterId = firstIdAt(start * hourMs);
  for (;;) {
    const calls = await store.listCounted(organizationId, { afterId, beforeId, limit: callsPerWrite });
    const priced = await Promise.all(calls.map(async (call) => ({ call, cost: await price(call) })));
    const changes = priced.flatMap(({ call, cost }) =>
      cost === undefined || isSame(cost, call.cost) ? [] : [{ call, cost }],
    );
    yield { calls, changes };
    if (calls.length < callsPerWrite) return;
    afterId = calls.at(-1)?.id ?? beforeId;
  }
}

/** The same amount from another source is a change too: the call says which price it was. */
function isSame(one: Cost, other: Cost): boolean {
  const text = ({ price }: Cost) => JSON.stringify(price);
  return one.nanos === other.nanos && one.source === other.source && text(one) === text(other);
}

class RepricingTally {
  examinedCalls = 0;
  readonly #models = new Map<string, { -readonly [Field in keyof ModelRepricing]: ModelRepricing[Field] }>();

  add(examined: number, changes: readonly CountedCostChange[]): void {
    this.examinedCalls += examined;
    for (const { call, cost } of changes) {
      const { model, upstream } = call;
      const key = JSON.stringify([model, upstream]);
      const sums = this.#models.get(key) ?? {
        ...{ model, upstream, calls: 0, unpricedCalls: 0, oldNanos: 0, newNanos: 0 },
      };
      sums.calls += 1;
      sums.unpricedCalls += call.cost.nanos === null ? 1 : 0;
      sums.oldNanos += call.cost.nanos ?? 0;
      sums.newNanos += cost.nanos ?? 0;
      this.#models.set(key, sums);
    }
  }

  /** The largest difference first. */
  get models(): readonly ModelRepricing[] {
    const difference = ({ oldNanos, newNanos }: ModelRepricing) => Math.abs(newNanos - oldNanos);
    return [...this.#models.values()].toSorted((one, other) => difference(other) - difference(one));
  }
}

interface RepricingTotals {
  readonly calls: number;
  readonly unpricedCalls: number;
  readonly oldNanos: number;
  readonly newNanos: number;
}

export function totalsOf(models: readonly ModelRepricing[]): RepricingTotals {
  const sum = (name: keyof RepricingTotals) => models.reduce((total, model) => total + model[name], 0);
  return {
    calls: sum('calls'),
    unpricedCalls: sum('unpricedCalls'),
    oldNanos: sum('oldNanos'),
    newNanos: sum('newNanos'),
  };
}

function eventOf(organizationId: string, { range, models }: Repricing): OrganizationEvent {
  const { calls, oldNanos, newNanos } = totalsOf(models);
  const [from, to] = [range.start, range.end].map((hour) => new Date(hour * hourMs).toISOString());
  const values = (nanos: number) => ({ from: from ?? '', to: to ?? '', calls, cost: toDollars(nanos) });
  const subject = { id: organizationId, name: `${from?.slice(0, 10)} to ${to?.slice(0, 10)}` };
  return organizationEvent('usage.repriced', null, subject, values(oldNanos), values(newNanos));
}
