import { describe, expect, it } from 'vitest';
import { noPaint } from '../paint.ts';
import { renderIgnoredFields } from './render-ignored-fields.ts';

describe('renderLeftOut', () => {
  const stream = { field: 'stream', reason: 'call', message: 'It is about one call.' };

  it('has a line for each field, and says how many more there are', () => {
    expect(renderIgnoredFields({ left_out: [stream], left_out_count: 3 }, noPaint)).toBe(
      'Left out\n  stream: It is about one call.\n  and 2 more',
    );
  });

  it('shows a name that would steer the terminal as it is written', () => {
    const field = '\u001b[2J\nx';
    expect(renderIgnoredFields({ left_out: [{ ...stream, field }], left_out_count: 1 }, noPaint)).toBe(
      'Left out\n  \\u001b[2J\\nx: It is about one call.',
    );
  });

  it.each([{ left_out: [], left_out_count: 0 }, {}])(
    'says nothing where all is kept, or an older server does not tell: %j',
    (answer) => {
      expect(renderIgnoredFields(answer, noPaint)).toBe('');
    },
  );
});
