import { describe, expect, it } from 'vitest';
import { assertTag, parseTagFilter, tagListPattern, tagRule } from './tag.ts';

const valid = ['a', '7', 'support', 'team:growth', 'eu/prod', 'gpt-4.1', 'a_b', 'a'.repeat(64)];
const invalid = [
  ...['', ' ', 'Support', 'two words', 'ünï', 'a,b', '#a', '-a', 'a-', '.', '/a', 'a:', 'a\n'],
  'a'.repeat(65),
];

describe('assertTag', () => {
  it.each(valid)('the tag %j is accepted', (tag) => {
    expect(() => assertTag(tag)).not.toThrow();
  });

  it.each(invalid)('the tag %j is rejected', (tag) => {
    expect(() => assertTag(tag)).toThrow(`A tag ${tagRule}.`);
  });
});

describe('parseTagFilter', () => {
  it.each([
    [undefined, []],
    ['', []],
    ['support', ['support']],
    ['support,team:growth', ['support', 'team:growth']],
    ['a,a', ['a', 'a']],
  ])('the filter %j matches presets with the tags %j', (text, tags) => {
    expect(parseTagFilter(text)).toEqual(tags);
  });

  it.each([',', 'a,', 'a, b', 'A', 'a;b'])('the filter %j is rejected with the rule for tags', (text) => {
    expect(() => parseTagFilter(text)).toThrow(`A tag ${tagRule}.`);
  });

  it('a filter can have 20 tags and no more', () => {
    const tags = Array.from({ length: 20 }, (_, index) => `tag-${index}`);
    expect(parseTagFilter(tags.join())).toEqual(tags);
    expect(() => parseTagFilter([...tags, 'one-more'].join())).toThrow('at most 20 tags');
  });

  it.each([
    '',
    'a',
    'a,b',
    Array(20).fill('a').join(),
    Array(21).fill('a').join(),
    ',',
    'a,',
    'A',
    ...invalid,
  ])('the pattern for several tags agrees with the server on %j', (text) => {
    const accepts = () => {
      try {
        parseTagFilter(text);
        return true;
      } catch {
        return false;
      }
    };
    expect(new RegExp(tagListPattern).test(text)).toBe(accepts());
  });
});
