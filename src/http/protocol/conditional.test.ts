import { describe, expect, it } from 'vitest';
import { preconditionOf } from './conditional.ts';

describe('preconditionOf', () => {
  it.each([
    [{}, {}],
    [{ 'if-match': '*' }, { ifMatch: '*' }],
    [{ 'if-match': ' * ' }, { ifMatch: '*' }],
    [{ 'if-match': '"a.1"' }, { ifMatch: ['a.1'] }],
    [{ 'if-match': 'W/"a.1"' }, { ifMatch: ['a.1'] }],
    [{ 'if-match': '"a.1", W/"b,2" ,\t"c"' }, { ifMatch: ['a.1', 'b,2', 'c'] }],
    [{ 'if-match': '""' }, { ifMatch: [''] }],
    [{ 'if-none-match': '*' }, { mustBeNew: true }],
    [
      { 'if-none-match': '*', 'if-match': '"a"' },
      { mustBeNew: true, ifMatch: ['a'] },
    ],
  ])('parses the precondition headers %j as %j', (headers, precondition) => {
    expect(preconditionOf(headers)).toEqual({ ifMatch: undefined, mustBeNew: undefined, ...precondition });
  });

  it.each(['', 'a.1', '"a', 'a"', "'a'", '"a" "b"', 'w/"a"', '"a", *', '*, "a"', '"a\n"', '"a",,"b"'])(
    'rejects the malformed header If-Match: %j',
    (header) => {
      expect(() => preconditionOf({ 'if-match': header })).toThrow(
        expect.objectContaining({ kind: 'invalid_request' }),
      );
    },
  );

  it.each(['', '"a"', 'W/"a"', '**'])('rejects If-None-Match: %j on a write', (header) => {
    expect(() => preconditionOf({ 'if-none-match': header })).toThrow(
      expect.objectContaining({ kind: 'invalid_request' }),
    );
  });

  it('parses very long hostile headers without hanging', () => {
    for (const part of ['"a"', '"a", ', ' ', '"', 'W/', '\t,', '"a" ']) {
      for (const end of ['', '"', 'x']) {
        try {
          preconditionOf({ 'if-match': part.repeat(20_000) + end });
        } catch (error) {
          expect(error).toMatchObject({ kind: 'invalid_request' });
        }
      }
    }
  });
});
