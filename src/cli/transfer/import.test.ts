import { describe, expect, it } from 'vitest';
import { CommandError } from '../command-error.ts';
import { restateWithFileLines } from './import.ts';

const lineNumbers = [2, 17, 18];
const busy = new CommandError('The server is busy.');

describe('restateWithFileLines', () => {
  it.each([
    [
      [{ path: '/1/config/top_p', message: 'must be a number' }],
      'The server rejected line 17: /config/top_p must be a number.',
    ],
    [[{ path: '/2', message: 'is not valid JSON' }], 'The server rejected line 18: is not valid JSON.'],
    [
      [
        { path: '/0/name', message: 'is\nlong' },
        { path: '/2/slug', message: 'is short' },
      ],
      'The server rejected these lines:\n  line 2: /name is\\nlong\n  line 18: /slug is short',
    ],
    [[{ path: '/9/slug', message: 'x' }], 'Lines 2 to 18 could not be imported: It is wrong.'],
    [[{ path: '/tools/0', message: 'x' }], 'Lines 2 to 18 could not be imported: It is wrong.'],
    [[{ path: '', message: 'x' }], 'Lines 2 to 18 could not be imported: It is wrong.'],
  ])('the issues %j are reported as %j', (issues, message) => {
    expect(restateWithFileLines(new CommandError('It is wrong.', { issues }), lineNumbers).message).toBe(
      message,
    );
  });

  it('a failure without issues names the lines of the request', () => {
    expect(restateWithFileLines(busy, lineNumbers).message).toBe(
      'Lines 2 to 18 could not be imported: The server is busy.',
    );
  });
});
