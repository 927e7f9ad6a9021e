import { expect, it } from 'vitest';
import { CommandError, combineErrors } from './command-error.ts';

const issue = (path: string) => ({ path, message: 'is wrong' });
const first = new CommandError('One.', {
  ...({ kind: 'conflict', status: 409, requestId: 'r-1' } as const),
  issues: [issue('/a')],
});
const second = new CommandError('Two.', {
  ...({ kind: 'not_found', status: 404, requestId: 'r-2' } as const),
  issues: [issue('/b')],
});

it('several errors become one with all messages and issues, and the exit code of the first', () => {
  expect(combineErrors([first])).toBe(first);
  expect(combineErrors([first, second])).toMatchObject({
    ...{ message: 'One.\nTwo.', kind: 'conflict', status: 409, requestId: 'r-1' },
    issues: [issue('/a'), issue('/b')],
  });
});

it('a restated error keeps everything but its message', () => {
  const { kind, status, requestId, issues } = first;
  expect(first.restated('Other.')).toMatchObject({ message: 'Other.', kind, status, requestId, issues });
});
