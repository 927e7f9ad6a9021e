import { expect, it, vi } from 'vitest';
import { createTrace } from '../call.ts';
import type { ObservedExchange } from '../ledger/observed-exchange.ts';
import { recordExchange } from './try-candidates.ts';

const exchange = (isSent: boolean, mayBeCharged: boolean) =>
  ({
    candidate: { upstream: { name: 'main' } },
    timings: { startedAt: 1_000, isSent, firstByteAt: 1_500, endedAt: 3_000 },
    mayBeCharged,
  }) as unknown as ObservedExchange;

it('the times of several attempts add up, and an attempt that was not sent is not measured', () => {
  const trace = createTrace();
  const upstreamTime = vi.fn();
  trace.upstreamMs = 10;
  recordExchange(trace, exchange(false, false), { upstreamTime });
  expect([trace.upstreamMs, trace.chargedExchanges]).toEqual([2_010, []]);
  expect(upstreamTime).not.toHaveBeenCalled();
  const sent = exchange(true, true);
  recordExchange(trace, sent, { upstreamTime });
  expect([trace.upstreamMs, trace.exchange, trace.chargedExchanges]).toEqual([4_010, sent, [sent]]);
  const measured = { upstream: 'main', firstByteSeconds: 0.5, totalSeconds: 2 };
  expect(upstreamTime.mock.calls).toEqual([[measured]]);
});
