import { describe, expect, it } from 'vitest';
import { pageRange } from './paged-list.tsx';

describe('pagePlace', () => {
  it.each([
    ['an empty list', 0, 0, { range: 'No presets', previous: undefined, next: undefined }],
    ['a list of one', 0, 1, { range: '1 preset', previous: undefined, next: undefined }],
    ['the only page', 0, 50, { range: '50 presets', previous: undefined, next: undefined }],
    ['the first page', 0, 51, { range: '1–50 of 51 presets', previous: undefined, next: 50 }],
    ['a middle page', 1_000, 1_200, { range: '1,001–1,050 of 1,200 presets', previous: 950, next: 1_050 }],
    ['a page at an unaligned offset', 7, 60, { range: '8–57 of 60 presets', previous: 0, next: 57 }],
    ['the page after the last', 100, 100, { range: 'None of 100 presets', previous: 50, next: undefined }],
    ['a page far after the last', 5_000, 70, { range: 'None of 70 presets', previous: 50, next: undefined }],
    [
      'a later page of a list that is now empty',
      50,
      0,
      { range: 'No presets', previous: 0, next: undefined },
    ],
  ])('describes %s', (_title, offset, totalCount, expected) => {
    expect(pageRange({ offset, limit: 50, totalCount, one: 'preset' })).toEqual(expected);
  });

  it('says "more than" when the total is a lower bound', () => {
    const page = { offset: 50, limit: 50, totalCount: 101, isTotalExact: false, one: 'preset' };
    expect(pageRange(page)).toEqual({ range: '51–100 of more than 100 presets', previous: 0, next: 100 });
  });
});
