import { expect, it } from 'vitest';
import { describeCount } from './table-footer.tsx';

const rows = (count: number) => Array.from({ length: count });

it.each([
  ['1 key', { rows: rows(1), shownCount: 1, hasMore: false, total: 1 }],
  ['0 keys', { rows: [], shownCount: 0, hasMore: false, total: 0 }],
  ['3 of 12 keys', { rows: rows(12), shownCount: 3, hasMore: false, total: undefined }],
  ['100 of 5,001 keys loaded', { rows: rows(100), shownCount: 100, hasMore: true, total: 5_001 }],
  [
    '100 of more than 1,000 keys loaded',
    { rows: rows(100), shownCount: 100, hasMore: true, total: 1_001, isTotalExact: false },
  ],
  ['100 keys loaded', { rows: rows(100), shownCount: 100, hasMore: true, total: undefined }],
])('the footer says "%s"', (text, counts) => {
  expect(describeCount({ isTotalExact: true, ...counts }, ['key', 'keys'])).toBe(text);
});
