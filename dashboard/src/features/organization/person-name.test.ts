import { expect, test } from 'vitest';
import { personText } from './person-name.tsx';

test.each([
  ['ada@example.com', 'Ada Lovelace (ada@example.com)'],
  ['nameless@example.com', 'nameless@example.com'],
  ['former@example.com', 'former@example.com'],
])('%s is sorted and searched as %s', (email, text) => {
  const memberOf = (address: string, first_name: string, last_name: string) =>
    [address, { id: address, email: address, first_name, last_name, role: 'org:member' as const }] as const;
  const directory = new Map([
    memberOf('ada@example.com', 'Ada', 'Lovelace'),
    memberOf('nameless@example.com', '', ''),
  ]);
  expect(personText(directory, email)).toBe(text);
});
