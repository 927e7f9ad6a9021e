import { describe, expect, it } from 'vitest';
import { expressedConcepts } from '../../../test/support/expressed-concepts.ts';
import { dialects } from '../../core/presets/preset.ts';
import { dialectOf } from '../dialects.ts';
import { findSpellings } from './field-concepts.ts';

describe('the table of concepts', () => {
  it.each(dialects)('lists everything that a field of %s can express', (dialect) => {
    const found = expressedConcepts[dialect];
    const missing = found.filter(({ field, part, kind }) => {
      const entries = dialectOf[dialect].concepts.fields.filter(([path]) => path[0] === field);
      return !entries.some(
        ([[, listedPart], kinds]) =>
          (listedPart === undefined || listedPart === part) && kinds.includes(kind),
      );
    });
    expect(missing).toEqual([]);
    // Modalities are copied, except for those that other dialects lack.
    const fields = new Set([...found.map(({ field }) => field), 'modalities']);
    expect(Object.keys(dialectOf[dialect].concepts.parsers).filter((field) => !fields.has(field))).toEqual(
      [],
    );
  });
});

describe('findSpellings', () => {
  it.each([
    ['stop', 'chat-completions', [['stop'], ['stop_sequences']]],
    ['stop_sequences', 'messages', [['stop_sequences'], ['stop']]],
    ['temperature', 'responses', [['temperature']]],
    ['verbosity', 'chat-completions', [['verbosity'], ['text', 'verbosity']]],
    ['max_output_tokens', 'responses', [['max_output_tokens'], ['max_tokens'], ['max_completion_tokens']]],
  ] as const)('the setting %s of %s has the spellings %j', (name, dialect, spellings) => {
    expect(findSpellings(name, dialect)).toEqual(spellings);
  });
});
