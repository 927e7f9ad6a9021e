import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { sendInOrder } from './send-in-order.ts';

interface Group {
  readonly number: number;
  readonly isContinuation: boolean;
}

const group = (number: number, isContinuation = false): Group => ({ number, isContinuation });

async function* from(groups: readonly Group[]): AsyncGenerator<Group> {
  yield* groups;
}

/** Begins and ends in the order in which they happen; the work of group 2 takes longer than that of the others. */
async function send(groups: readonly Group[], failing?: number): Promise<string> {
  const happened: string[] = [];
  const sending = sendInOrder(from(groups), 2, async ({ number }) => {
    happened.push(`+${number}`);
    for (let turns = number === 2 ? 30 : 3; turns > 0; turns -= 1) await turn();
    if (number === failing) throw new Error(`group ${number} failed`);
    happened.push(`-${number}`);
  });
  await sending.catch((error: Error) => happened.push(error.message));
  return happened.join(' ');
}

describe('sendInOrder', () => {
  it('has two under way', async () => {
    expect(await send([group(1), group(2), group(3), group(4)])).toBe('+1 +2 -1 +3 -3 +4 -4 -2');
  });

  it('waits with a group that continues the one before', async () => {
    expect(await send([group(1), group(2), group(3, true), group(4)])).toBe('+1 +2 -1 -2 +3 +4 -3 -4');
  });

  it('begins nothing after a failure, and waits for what is under way', async () => {
    expect(await send([group(1), group(2), group(3), group(4)], 1)).toBe('+1 +2 -2 group 1 failed');
  });

  it('tells a failure of the last', async () => {
    expect(await send([group(1)], 1)).toBe('+1 group 1 failed');
  });
});
