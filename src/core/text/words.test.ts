import { describe, expect, it } from 'vitest';
import { parseSearchWords, splitWords } from './words.ts';

describe('splitWords', () => {
  it.each<[string, string[]]>([
    ['', []],
    ['Mail.Bot_2~x--x', ['mail', 'bot', '2', 'x']],
    [`it's 100% "sure_thing"`, ['it', 's', '100', 'sure', 'thing']],
    ['GPT-4o gpt', ['gpt', '4o']],
    ['Straße ÜBER u\u0308ber', ['straße', 'über']],
    ['ｆｕｌｌ ﬁne ① ½', ['full', 'fine', '1', '2']],
    ['नमस्ते दुनिया', ['नमस्ते', 'दुनिया']],
    ['翻訳GPT4', ['翻', '訳', 'gpt4']],
    ['データA、とB', ['デ', 'ー', 'タ', 'a', 'と', 'b']],
    ['人々 5ヶ月', ['人', '々', '5', 'ヶ', '月']],
    ['한국어 도움', ['한국어', '도움']],
    ['a\0b \u{1F469} ✓', ['a', 'b']],
  ])('%j has the words %j', (text, words) => {
    expect(splitWords(text)).toEqual(words);
  });

  it('the words of several texts are merged, each once, and null is skipped', () => {
    expect(splitWords('mail-bot', 'Mail', null, 'A bot')).toEqual(['mail', 'bot', 'a']);
  });

  it('truncates words to 64 characters without splitting a character', () => {
    expect(splitWords('x'.repeat(65))).toEqual(['x'.repeat(64)]);
    expect(splitWords('𝒳'.repeat(70).normalize('NFC'))).toEqual(['x'.repeat(64)]);
    expect(splitWords('𐐨'.repeat(70))).toEqual(['𐐨'.repeat(64)]);
  });

  it('text of any length is split into words', () => {
    expect(splitWords('a'.repeat(500_000), 'a '.repeat(250_000), 'ー'.repeat(200_000))).toHaveLength(3);
  });
});

describe('parseSearchWords', () => {
  it.each([undefined, '', ' \t\n'])('the search query %j matches everything', (query) => {
    expect(parseSearchWords(query)).toBeUndefined();
  });

  it.each(['%', "'*'", '✓ -', '"'])('the search query %j contains no word and matches nothing', (query) => {
    expect(parseSearchWords(query)).toEqual([]);
  });

  it('a search query contributes each word once', () => {
    expect(parseSearchWords('a Mail the mail')).toEqual(['a', 'mail', 'the']);
  });

  it('a search query can have 40 different words and no more', () => {
    const forty = Array.from({ length: 40 }, (_, index) => `w${index}`).join(' ');
    expect(parseSearchWords(`${forty} W1 w0`)).toHaveLength(40);
    expect(() => parseSearchWords(`${forty} eleven`)).toThrow('at most 40 words');
  });
});
