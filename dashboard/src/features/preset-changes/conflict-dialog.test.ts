import { expect, test } from 'vitest';
import { eventsSince } from './conflict-dialog.tsx';

const event = (number: number, second: number) => ({
  number,
  created_at: `2026-01-01T00:00:0${second}.000Z`,
});
const events = [event(3, 5), event(2, 3), event(1, 3)];

test('a conflict shows only events after the snapshot', () => {
  expect(eventsSince('2026-01-01T00:00:03.000Z', events).map(({ number }) => number)).toEqual([3]);
});

test('a conflict shows events of the same millisecond if there are none later', () => {
  const sameTime = events.slice(1);
  expect(eventsSince('2026-01-01T00:00:03.000Z', sameTime)).toEqual(sameTime);
});
