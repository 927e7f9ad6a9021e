import { describe, expect, it } from 'vitest';
import { type ContentsRow, changedContents } from './preset-contents.ts';

const empty: ContentsRow = {
  id: 'p',
  workspace_id: 'w',
  tags: '[]',
  aliases: '[]',
  models: '[null,null,null]',
  note: null,
  system_prompt: null,
  words: null,
};

describe('changedContents', () => {
  it.each<[string, Partial<ContentsRow>, string]>([
    ['the tags', { tags: '["eu/prod","support"]' }, ' eu prod support'],
    ['the aliases', { aliases: '["pmpt_68a4","Old-name"]' }, ' pmpt 68a4 old name'],
    ['the model', { models: '["openai/gpt-5",null,null]' }, ' openai gpt 5'],
    ['all models', { models: '[null,["a/b","c"],[{"model":"d"},{"model":"a"}]]' }, ' a b c d'],
    ['no values that are not names', { models: '[7,[true,{"x":"y"},[]],"default"]' }, ' default'],
    ['the note', { note: 'Shorter answers' }, ' shorter answers'],
    ['the system prompt', { system_prompt: 'You are brief. Are you?' }, ' you are brief'],
  ])('indexes %s', (_, row, words) => {
    expect(changedContents({ ...empty, ...row })?.words).toBe(words);
  });

  it('returns the words that came and went', () => {
    const row = { ...empty, words: ' be kind', system_prompt: 'Be brief' };
    expect(changedContents(row)).toEqual({ words: ' be brief', added: ['brief'], removed: ['kind'] });
  });

  it.each([
    ['a preset without words', empty],
    ['the same words', { ...empty, words: ' be kind', system_prompt: 'Be kind, be kind' }],
  ])('%s changes nothing', (_, row) => {
    expect(changedContents(row)).toBeUndefined();
  });

  it('a preset that loses all words keeps an empty text', () => {
    expect(changedContents({ ...empty, words: ' be' })).toEqual({ words: '', added: [], removed: ['be'] });
    expect(changedContents({ ...empty, words: '', note: 'be' })?.added).toEqual(['be']);
  });

  it('indexes the first 2,000 words of a long prompt', () => {
    const prompt = Array.from({ length: 3_000 }, (_, index) => `w${index}`).join(' ');
    const change = changedContents({ ...empty, note: 'first', system_prompt: prompt });
    expect(change?.added).toHaveLength(2_000);
    expect([change?.added[0], change?.added.at(-1)]).toEqual(['first', 'w1998']);
  });
});
