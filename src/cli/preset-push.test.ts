import { describe, expect, it } from 'vitest';
import type { LeftOutField } from '../api/captures.ts';
import { renderIgnoredFields, renderWarnings } from './preset-push.ts';
import { noPaint } from './ui/output.ts';

describe('renderWarnings', () => {
  it('warnings are listed with their path, and control characters are escaped', () => {
    const warnings = [{ path: '/presetd/variables/a', message: 'is declared,\u001b but no text uses it' }];
    expect(renderWarnings({ warnings }, noPaint)).toBe(
      'Warnings\n  /presetd/variables/a is declared,\\u001b but no text uses it',
    );
    expect(renderWarnings({}, noPaint)).toBe('');
  });
});

describe('renderIgnoredFields', () => {
  const stream: LeftOutField = { field: 'stream', reason: 'call', message: 'It is about one call.' };

  it('ignored fields are listed with their reason, and the rest is counted', () => {
    expect(renderIgnoredFields({ left_out: [stream], left_out_count: 3 }, noPaint)).toBe(
      'Ignored\n  stream: It is about one call.\n  and 2 more',
    );
  });

  it('control characters in an ignored field are escaped', () => {
    const field = '\u001b[2J\nx';
    expect(renderIgnoredFields({ left_out: [{ ...stream, field }], left_out_count: 1 }, noPaint)).toBe(
      'Ignored\n  \\u001b[2J\\nx: It is about one call.',
    );
  });

  it.each([{ left_out: [], left_out_count: 0 }, {}])(
    'nothing is listed if nothing is ignored or the server is too old to say: %j',
    (content) => {
      expect(renderIgnoredFields(content, noPaint)).toBe('');
    },
  );
});
