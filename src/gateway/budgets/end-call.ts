import { subjectOfKey } from '../../core/budgets/key-limit.ts';
import type { Spending } from '../../core/budgets/spending.ts';
import type { CallRecord } from '../../core/ledger/call-record.ts';
import type { Ledger } from '../../core/ledger/ledger.ts';
import type { Measurements } from '../../core/measurements.ts';
import type { KnownModels } from '../ledger/known-models.ts';
import type { ListPrices } from '../ledger/list-prices.ts';
import { type EndedCall, recordOfCall } from '../ledger/record-of-call.ts';

interface EndCallOptions {
  readonly ledger: Pick<Ledger, 'record'>;
  readonly spending: Pick<Spending, 'count'>;
  readonly listPrices: ListPrices;
  readonly knownModels: KnownModels;
  readonly measurements: Pick<Measurements, 'tokens'>;
}

/** Records a call and counts what it has cost, which must not fail if the record does. */
export function endCall(
  ended: EndedCall,
  { ledger, spending, listPrices, knownModels, measurements }: EndCallOptions,
): void {
  let record: CallRecord | Promise<CallRecord> | undefined;
  try {
    record = recordOfCall(ended, listPrices, knownModels, measurements);
    if (record !== undefined) ledger.record(record);
  } finally {
    void settleCall(ended, record, spending);
  }
}

/** Counts the cost of a call, or what it has set aside if the cost is unknown. */
async function settleCall(
  { trace: { reservations }, caller }: EndedCall,
  record: CallRecord | Promise<CallRecord> | undefined,
  spending: Pick<Spending, 'count'>,
): Promise<void> {
  const nanos = await costOfRecord(record);
  const [first, ...others] = reservations;
  for (const reservation of others) reservation.settle(nanos === null ? reservation.nanos : 0);
  if (first !== undefined) first.settle(nanos ?? first.nanos);
  else if (caller.kind !== 'session' && nanos !== null && nanos > 0)
    spending.count(subjectOfKey(caller.id), nanos);
}

/** Null if it is not known. */
async function costOfRecord(record: CallRecord | Promise<CallRecord> | undefined): Promise<number | null> {
  try {
    return (await record)?.cost.nanos ?? null;
  } catch {
    return null;
  }
}
