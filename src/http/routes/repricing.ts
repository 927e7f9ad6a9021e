import type { FastifyInstance } from 'fastify';
import { type RepricingLine, type RepricingResult, repricingOperations } from '../../api/repricing.ts';
import { ndjson } from '../../api/transfer.ts';
import type { Clock } from '../../core/clock.ts';
import type { LedgerStore } from '../../core/ledger/ledger-storage.ts';
import { toDollars } from '../../core/ledger/price.ts';
import {
  type PriceCall,
  type RepriceStep,
  type Repricing,
  reprice,
  totalsOf,
} from '../../core/ledger/reprice.ts';
import { hourMs } from '../../core/ledger/usage-periods.ts';
import { authenticate, callerOf } from '../authentication.ts';
import { streamResponse } from '../protocol/stream-response.ts';
import { serveOperations } from '../serve-operations.ts';

/**
 * Streamed, because a period of millions of calls takes minutes. A client that disconnects stops it
 * after the current chunk of calls.
 */
export function repricingRoutes(
  scope: FastifyInstance,
  ledger: LedgerStore,
  clock: Clock,
  /** Prices calls as the upstream file says now. */
  callPricing: () => PriceCall,
): void {
  serveOperations(scope, repricingOperations, {
    'POST /usage/reprice': async (request, reply) => {
      const { from, to, dry_run: isDryRun = false } = request.body;
      const caller = callerOf(request);
      const range = { caller, from: Date.parse(from), to: Date.parse(to), isDryRun };
      const steps = reprice(ledger, range, callPricing(), clock, () => authenticate(request));
      return streamResponse(reply, ndjson, linesOf(steps, isDryRun));
    },
  });
}

async function* linesOf(steps: AsyncGenerator<RepriceStep>, isDryRun: boolean): AsyncGenerator<string> {
  for await (const step of steps) yield `${JSON.stringify(toWire(step, isDryRun))}\n`;
}

function toWire(
  { examinedCalls, expectedCalls, result }: RepriceStep,
  isDryRun: boolean,
): RepricingLine | RepricingResult {
  const counts = { examined_calls: examinedCalls, expected_calls: expectedCalls };
  return result === undefined
    ? { type: 'progress', ...counts }
    : { type: 'end', ...counts, dry_run: isDryRun, ...resultToWire(result) };
}

function resultToWire({ range, unreachableCalls, models }: Repricing) {
  const totals = totalsOf(models);
  const time = (hour: number) => new Date(hour * hourMs).toISOString();
  return {
    from: time(range.start),
    to: time(range.end),
    unreachable_calls: unreachableCalls,
    changed_calls: totals.calls,
    old_cost: toDollars(totals.oldNanos),
    new_cost: toDollars(totals.newNanos),
    models: models.map(({ model, upstream, calls, unpricedCalls, oldNanos, newNanos }) => ({
      ...{ model, upstream, calls },
      unpriced_calls: unpricedCalls,
      old_cost: toDollars(oldNanos),
      new_cost: toDollars(newNanos),
    })),
  };
}
