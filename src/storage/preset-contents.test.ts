import { describe, expect, it } from 'vitest';
import { changedContents, type PresetContents } from './preset-contents.ts';

const empty: PresetContents = {
  id: 'p',
  workspaceId: 'w',
  tags: [],
  aliases: [],
  models: [null, null, null],
  note: null,
  systemPrompt: null,
  words: null,
};

describe('changedContents', () => {
  it.each<[string, Partial<PresetContents>, string]>([
    ['the tags', { tags: ['eu/prod', 'support'] }, ' eu prod support'],
    ['the aliases', { aliases: ['pmpt_68a4', 'Old-name'] }, ' pmpt 68a4 old name'],
    ['the model', { models: ['openai/gpt-5', null, null] }, ' openai gpt 5'],
    ['all models', { models: [null, ['a/b', 'c'], [{ model: 'd' }, { model: 'a' }]] }, ' a b c d'],
    ['no values that are not names', { models: [7, [true, { x: 'y' }, []], 'default'] }, ' default'],
    ['the note', { note: 'Shorter answers' }, ' shorter answers'],
    ['the system prompt', { systemPrompt: 'You are brief. Are you?' }, ' you are brief'],
  ])('indexes %s', (_, row, words) => {
    expect(changedContents({ ...empty, ...row })?.words).toBe(words);
  });

  it('returns the words that came and went', () => {
    const row = { ...empty, words: ' be kind', systemPrompt: 'Be brief' };
    expect(changedContents(row)).toEqual({ words: ' be brief', added: ['brief'], removed: ['kind'] });
  });

  it.each([
    ['a preset without words', empty],
    ['the same words', { ...empty, words: ' be kind', systemPrompt: 'Be kind, be kind' }],
  ])('%s changes nothing', (_, row) => {
    expect(changedContents(row)).toBeUndefined();
  });

  it('a preset that loses all words keeps an empty text', () => {
    expect(changedContents({ ...empty, words: ' be' })).toEqual({ words: '', added: [], removed: ['be'] });
    expect(changedContents({ ...empty, words: '', note: 'be' })?.added).toEqual(['be']);
  });

  it('indexes the first 2,000 words of a long prompt', () => {
    const prompt = Array.from({ length: 3_000 }, (_, index) => `w${index}`).join(' ');
    const change = changedContents({ ...empty, note: 'first', systemPrompt: prompt });
    expect(change?.added).toHaveLength(2_000);
    expect([change?.added[0], change?.added.at(-1)]).toEqual(['first', 'w1998']);
  });
});
