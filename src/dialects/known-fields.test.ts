import { describe, expect, it } from 'vitest';
import { type Dialect, dialects } from '../core/presets/preset.ts';
import { nearestName } from '../core/text/nearest-name.ts';
import { dialectOf } from './dialects.ts';
import { describeUnknownField, isKnownField } from './known-fields.ts';

const nearestField = (name: string, dialect: Dialect) =>
  nearestName(name, Object.keys(dialectOf[dialect].request.fields));

describe('the nearest known field', () => {
  it.each<[name: string, dialect: Dialect, nearest: string | undefined]>([
    ['temprature', 'chat-completions', 'temperature'],
    ['tempreature', 'messages', 'temperature'],
    ['max_token', 'messages', 'max_tokens'],
    ['maxTokens', 'chat-completions', 'max_tokens'],
    ['MAX-OUTPUT-TOKENS', 'responses', 'max_output_tokens'],
    ['sede', 'chat-completions', 'seed'],
    ['tool', 'responses', 'tools'],
    ['top_pp', 'chat-completions', 'top_p'],
    ['stop_sequence', 'messages', 'stop_sequences'],
    // Short names are too easily similar to suggest one.
    ['x', 'chat-completions', undefined],
    ['', 'chat-completions', undefined],
    ['anthropic_version', 'messages', undefined],
    ['completely_unrelated', 'responses', undefined],
    ['constructor', 'messages', undefined],
  ])('the nearest field to %s in %s is %s', (name, dialect, nearest) => {
    expect(nearestField(name, dialect)).toBe(nearest);
  });

  it('a very long name has no nearest field', () => {
    expect(nearestField('temperature'.repeat(100_000), 'messages')).toBeUndefined();
  });

  it.each(dialects)('every field of %s is nearest to itself', (dialect) => {
    for (const name of Object.keys(dialectOf[dialect].request.fields).filter(({ length }) => length > 2)) {
      expect(isKnownField(name, dialect)).toBe(true);
      expect(nearestField(name, dialect)).toBe(name);
    }
  });
});

describe('describeUnknownField', () => {
  it.each([
    ['temprature', 'Unknown field, ignored. Did you mean temperature?'],
    ['betas', 'Unknown field, ignored.'],
  ])('the unknown field %s is described as "%s"', (name, message) => {
    expect(describeUnknownField(name, 'chat-completions')).toBe(message);
  });
});
