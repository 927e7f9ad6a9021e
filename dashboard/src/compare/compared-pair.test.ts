import { expect, test } from 'vitest';
import { comparedPair } from './compared-pair.ts';

function pair(address: string, latest: number, live: number) {
  const { from, to, unknown } = comparedPair(new URLSearchParams(address), { latest, live });
  return `${from} to ${to}${unknown.map((text) => ` not ${text}`).join('')}`;
}

test.each([
  ['what is live is compared with the newest', '', 4, 2, '2 to 4'],
  ['where the newest is live, with what came before it', '', 4, 4, '3 to 4'],
  ['the only version is compared with itself', '', 1, 1, '1 to 1'],
  ['the address decides', 'from=3&to=1', 4, 4, '3 to 1'],
  ['half an address is completed', 'to=2', 4, 4, '4 to 2'],
  ['a version with itself is what was asked for', 'from=2&to=2', 4, 4, '2 to 2'],
  ['what does not exist is told', 'from=99&to=x', 4, 2, '2 to 4 not 99 not x'],
])('%s', (_title, address, latest, live, expected) => {
  expect(pair(address, latest, live)).toBe(expected);
});
