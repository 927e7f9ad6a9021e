import { describe, expect, test } from 'vitest';
import { listColumns } from './list-columns.ts';

const columns = (count: number) => Array.from({ length: count }, (_, index) => `c${index}`);

describe('listColumns', () => {
  test('names up to twenty columns', () => {
    expect(listColumns(['Team', 'City'])).toBe('Team, City');
    expect(listColumns(columns(20))).toBe(columns(20).join(', '));
  });

  test('counts columns after the twentieth', () => {
    expect(listColumns(columns(5_020))).toBe(`${columns(20).join(', ')} and 5,000 more`);
  });

  test('shortens very long titles', () => {
    expect(listColumns(['a'.repeat(1_000), 'b'])).toBe(`${'a'.repeat(100)}…, b`);
  });
});
