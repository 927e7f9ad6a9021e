import { expect, test } from 'vitest';
import { comparedPair, versionOptions } from './version-choice.ts';

const production = { label: 'production', version: 2, updated_at: '2026-11-15T02:04:17.974Z' };

test('lists versions newest first, with their labels', () => {
  expect(versionOptions({ latest: 3, live: 2, labels: [production] })).toEqual([
    ['3', 'Version 3'],
    ['2', 'Version 2 · live · production'],
    ['1', 'Version 1'],
  ]);
});

test('lists the newest versions, those with a label, and selected ones', () => {
  const options = versionOptions({ latest: 5_000, live: 7, labels: [production] }, [1_234, 9_999]);
  expect(options).toHaveLength(103);
  expect(options.slice(99).map(([version]) => version)).toEqual(['4901', '1234', '7', '2']);
});

function pair(address: string, latest: number, live: number) {
  const { from, to, unknown } = comparedPair(new URLSearchParams(address), { latest, live });
  return `${from} to ${to}${unknown.map((text) => ` not ${text}`).join('')}`;
}

test.each([
  ['compares the live version with the latest', '', 4, 2, '2 to 4'],
  ['compares the latest version with its predecessor if it is live', '', 4, 4, '3 to 4'],
  ['compares the only version with itself', '', 1, 1, '1 to 1'],
  ['compares the versions in the URL', 'from=3&to=1', 4, 4, '3 to 1'],
  ['fills in a missing version', 'to=2', 4, 4, '4 to 2'],
  ['compares a version with itself if the URL says so', 'from=2&to=2', 4, 4, '2 to 2'],
  ['reports versions that do not exist', 'from=99&to=x', 4, 2, '2 to 4 not 99 not x'],
])('%s', (_title, address, latest, live, expected) => {
  expect(pair(address, latest, live)).toBe(expected);
});
