import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ListedPerson } from '../../../../src/member-import/people-parser.ts';
import { ApiError } from '../../api/api-error.ts';
import { sendPeople } from './send-people.ts';

const people = Array.from({ length: 1_200 }, (_, index) => ({
  person: { email: `p${index}@b.c` },
  line: index + 2,
  lastLine: index + 2,
}));
const added = async (group: readonly ListedPerson[]) =>
  group.map(({ email }) => ({ email, outcome: 'added' as const }));
const noWait = async () => undefined;

describe('sendPeople', () => {
  it('sends batches of 500 and reports each', async () => {
    const groups: number[] = [];
    await sendPeople({
      people,
      post: added,
      onGroup: (outcomes, count) => groups.push(outcomes.length, count),
      signal: new AbortController().signal,
    });
    expect(groups).toEqual([500, 500, 500, 500, 200, 200]);
  });

  it('stops after the batch in flight', async () => {
    const controller = new AbortController();
    const groups: number[] = [];
    await sendPeople({
      people,
      post: added,
      onGroup: (_, count) => {
        groups.push(count);
        if (groups.length === 2) controller.abort();
      },
      signal: controller.signal,
    });
    expect(groups).toEqual([500, 500]);
  });

  it('retries a busy server with growing delays', async () => {
    const waits: number[] = [];
    let attempts = 0;
    const groups: number[] = [];
    await sendPeople({
      people: people.slice(0, 3),
      post: async (group) => {
        attempts += 1;
        if (attempts < 4) throw new ApiError(attempts === 2 ? 503 : 429, 'busy');
        return added(group);
      },
      onGroup: (_, count) => groups.push(count),
      signal: new AbortController().signal,
      wait: async (ms) => void waits.push(ms),
    });
    expect([waits, groups]).toEqual([[1_000, 2_000, 4_000], [3]]);
  });

  it('stops waiting for a busy server, and does not retry, once stopped', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const controller = new AbortController();
    let attempts = 0;
    const groups: number[] = [];
    const sending = sendPeople({
      people,
      post: async () => {
        attempts += 1;
        throw new ApiError(429, 'busy');
      },
      onGroup: (_, count) => groups.push(count),
      signal: controller.signal,
    });
    await vi.advanceTimersByTimeAsync(500);
    controller.abort();
    // The clock does not advance any further.
    await sending;
    expect([attempts, groups]).toEqual([1, []]);
  });

  it.each([
    [429, 7],
    [500, 1],
    [403, 1],
  ])('gives up on a server that keeps returning %i', async (status, attemptsMax) => {
    let attempts = 0;
    const rejection = new ApiError(status, 'no');
    const sending = sendPeople({
      people: people.slice(0, 3),
      post: async () => {
        attempts += 1;
        throw rejection;
      },
      onGroup: () => undefined,
      signal: new AbortController().signal,
      wait: noWait,
    });
    await expect(sending).rejects.toBe(rejection);
    expect(attempts).toBe(attemptsMax);
  });
});
