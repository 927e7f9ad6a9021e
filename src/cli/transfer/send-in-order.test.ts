import { setImmediate as nextTick } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { sendInOrder } from './send-in-order.ts';

interface Batch {
  readonly number: number;
  readonly isContinuation: boolean;
}

const batch = (number: number, isContinuation = false): Batch => ({ number, isContinuation });

async function* from(batches: readonly Batch[]): AsyncGenerator<Batch> {
  yield* batches;
}

/** Logs "+1" when batch 1 starts and "-1" when it ends. Batch 2 takes longer than the others. */
async function send(batches: readonly Batch[], failing?: number): Promise<string> {
  const events: string[] = [];
  const sending = sendInOrder(from(batches), 2, async ({ number }) => {
    events.push(`+${number}`);
    for (let ticks = number === 2 ? 30 : 3; ticks > 0; ticks -= 1) await nextTick();
    if (number === failing) throw new Error(`batch ${number} failed`);
    events.push(`-${number}`);
  });
  await sending.catch((error: Error) => events.push(error.message));
  return events.join(' ');
}

describe('sendInOrder', () => {
  it('sendInOrder keeps two batches in flight', async () => {
    expect(await send([batch(1), batch(2), batch(3), batch(4)])).toBe('+1 +2 -1 +3 -3 +4 -4 -2');
  });

  it('sendInOrder sends a continuation after all earlier batches', async () => {
    expect(await send([batch(1), batch(2), batch(3, true), batch(4)])).toBe('+1 +2 -1 -2 +3 +4 -3 -4');
  });

  it('sendInOrder starts nothing after a failure, and awaits in-flight batches', async () => {
    expect(await send([batch(1), batch(2), batch(3), batch(4)], 1)).toBe('+1 +2 -2 batch 1 failed');
  });

  it('sendInOrder throws the failure of the last batch', async () => {
    expect(await send([batch(1)], 1)).toBe('+1 batch 1 failed');
  });
});
