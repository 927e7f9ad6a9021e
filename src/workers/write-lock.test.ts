import { afterEach, describe, expect, it, vi } from 'vitest';
import { WriteLock } from './write-lock.ts';

/** Notes who has had the turn, in order. */
function watched() {
  const turns = new WriteLock<string>();
  const began: string[] = [];
  return {
    turns,
    began,
    take: (writer: string) => void turns.acquire(writer).then(() => began.push(writer)),
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

afterEach(() => vi.useRealTimers());

describe('turns at writing', () => {
  it('are given one at a time, in the order in which they were asked for', async () => {
    const { turns, began, take } = watched();
    for (const writer of ['a', 'b', 'c']) take(writer);
    await settled();
    expect(began).toEqual(['a']);
    turns.release('a');
    await settled();
    expect(began).toEqual(['a', 'b']);
    take('a');
    turns.release('b');
    turns.release('c');
    await settled();
    expect(began).toEqual(['a', 'b', 'c', 'a']);
  });

  it('are not ended by somebody else', async () => {
    const { turns, began, take } = watched();
    take('a');
    take('b');
    turns.release('b');
    turns.release('c');
    await settled();
    expect(began).toEqual(['a']);
  });

  it('pass over those who are gone, be it in the middle of their own', async () => {
    const { turns, began, take } = watched();
    for (const writer of ['a', 'b', 'c']) take(writer);
    turns.release('b');
    turns.release('a');
    await settled();
    expect(began).toEqual(['a', 'c']);
    turns.release('c');
    take('d');
    await settled();
    expect(began).toEqual(['a', 'c', 'd']);
  });

  it('are not kept for a writer that did not wait for its own', async () => {
    const { turns, began, take } = watched();
    take('a');
    take('b');
    turns.release('b');
    turns.release('a');
    take('c');
    take('b');
    await settled();
    expect(began).toEqual(['a', 'c']);
    turns.release('c');
    await settled();
    expect(began).toEqual(['a', 'c', 'b']);
  });

  it('go on after a writer that hangs, whose late end concerns nobody', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { turns, began, take } = watched();
    for (const writer of ['a', 'b', 'c']) take(writer);
    vi.advanceTimersByTime(999);
    await settled();
    expect(began).toEqual(['a']);
    vi.advanceTimersByTime(1);
    await settled();
    expect(began).toEqual(['a', 'b']);
    turns.release('a');
    await settled();
    expect(began).toEqual(['a', 'b']);
    turns.release('b');
    await settled();
    expect(began).toEqual(['a', 'b', 'c']);
  });
});
