import { expect, test } from 'vitest';
import { movedAddress, providerPath, readReturnPath, signInPath, workspacePath } from './addresses.ts';

const origin = 'https://presets.example.com';

test.each([
  ['/w/default/presets/bot?version=2#versions', '/w/default/presets/bot?version=2#versions'],
  ['/', '/'],
  [null, '/'],
  ['', '/'],
  ['presets', '/'],
  ['https://evil.example/', '/'],
  ['//evil.example/', '/'],
  ['/\\evil.example/', '/'],
  ['/\t/evil.example/', '/'],
  ['/.//evil.example/', '/'],
  ['javascript:alert(1)', '/'],
  ['/sign-in', '/'],
  ['/sign-in?return_to=/sign-in', '/'],
  ['/sign-in/okta', '/'],
  ['/sign-ins', '/sign-ins'],
])('the return address %j after signing in leads to %s', (text, path) => {
  expect(readReturnPath(text, origin)).toBe(path);
});

test('an address survives signing in', () => {
  const address = '/w/default/presets?q=a%26b&tag=x';
  const [, query] = signInPath(address).split('?');
  expect(readReturnPath(new URLSearchParams(query).get('return_to'), origin)).toBe(address);
  expect(signInPath('/')).toBe('/sign-in');
  expect(providerPath('okta', address)).toBe(
    '/sign-in/okta?return_to=%2Fw%2Fdefault%2Fpresets%3Fq%3Da%2526b%26tag%3Dx',
  );
});

const workspaces = [
  { id: 'id-1', slug: 'default' },
  { id: 'id-2', slug: 'search' },
];

test.each([
  ['/', '', '/w/default/presets'],
  ['/', 'q=bot', '/w/default/presets?q=bot'],
  ['/new', '', '/w/default/new'],
  ['/presets/bot', '', '/w/default/presets/bot'],
  ['/presets/bot', 'workspace=id-2', '/w/search/presets/bot'],
  ['/presets/bot/compare', 'from=1&workspace=search&to=2', '/w/search/presets/bot/compare?from=1&to=2'],
  ['/presets/bot', 'workspace=id-3', undefined],
])('the old address %s?%s has moved to %s', (path, search, address) => {
  expect(movedAddress(path, search, workspaces, workspaces[0])).toBe(address);
});

test('the address of a workspace is its preset list', () => {
  expect(workspacePath('search')).toBe('/w/search/presets');
});
