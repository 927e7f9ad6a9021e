import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runToCompletion } from '../concurrency/cooperative-task.ts';
import { redactionOf } from './redaction.ts';

const redact = (patterns: readonly string[], text: string, end = text.length) =>
  runToCompletion(redactionOf(patterns).redact(text, end));

describe('redaction', () => {
  it.each([
    [['a+'], '-aa-', '-[redacted]-'],
    [['^a'], 'aa', '[redacted]a'],
    [['a', 'ab'], '-ab-', '-[redacted]-'],
    [['x*'], 'ab', 'ab'],
    [['\\bcat\\b'], 'cat concat cat', '[redacted] concat [redacted]'],
    [['(?i)secret'], 'SeCrEt', '[redacted]'],
    [['ü.'], 'grün 😀', 'gr[redacted] 😀'],
    [[], 'as it is', 'as it is'],
  ])('%j makes of %j %j', (patterns, text, expected) => {
    expect(redact(patterns, text)).toBe(expected);
  });

  it('finds what a plain search finds, wherever it is in a long text', () => {
    const words = fc.constantFrom('SECRET', 'SEC', 'x'.repeat(1_000), 'RET ', ' ');
    fc.assert(
      fc.property(fc.array(words, { maxLength: 40 }), (parts) => {
        const text = parts.join('');
        expect(redact(['SECRET'], text)).toBe(text.replaceAll(/(?:SECRET)+/g, '[redacted]'));
      }),
    );
  });

  it('a match that begins before the end of what is kept is redacted as a whole', () => {
    expect(redact(['SECRET'], 'my SECRET is safe', 6)).toBe('my [redacted]');
    expect(redact(['SECRET'], 'my SECRET is safe', 3)).toBe('my ');
  });

  it('a pattern that would take a backtracking engine forever takes milliseconds', () => {
    const started = performance.now();
    redact(['(a+)+$'], `${'a'.repeat(3_000)}b`);
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it('a long text is searched in many steps', () => {
    let steps = 0;
    const task = redactionOf(['b']).redact('a'.repeat(100_000), 100_000);
    while (!task.next().done) steps += 1;
    expect(steps).toBeGreaterThan(20);
  });
});
