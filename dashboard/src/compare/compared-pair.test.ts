import { expect, test } from 'vitest';
import { comparedPair } from './compared-pair.ts';

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
