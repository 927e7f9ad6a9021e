import { expect, it } from 'vitest';
import { toReturnPath } from './return-path.ts';

it.each([
  '/',
  '/presets/summarize?workspace=default#versions',
  '/a//b',
  '/@evil.example',
  '/:80',
  '/?next=https://evil.example',
  '/%5c/evil.example',
  '/%2f%2f/evil.example',
  '/apis',
  '/sign-in-help',
  '/presets/api',
  '/100%',
])('the return path %j is kept', (path) => {
  expect(toReturnPath(path)).toBe(path);
});

it('a return path with other letters is encoded, so that a header can contain it', () => {
  expect(toReturnPath('/presets/résumé ü')).toBe('/presets/r%C3%A9sum%C3%A9%20%C3%BC');
});

it.each([
  undefined,
  '',
  'presets',
  'https://evil.example',
  'javascript:alert(1)',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/a\\b',
  '/\t/evil.example',
  '/\n/evil.example',
  '/\0',
  '/\u0085/evil.example',
  ' //evil.example',
  '/.//evil.example',
  '/..//evil.example',
  '/a/..//evil.example',
  '/%2e//evil.example',
  `/${'a'.repeat(2_048)}`,
  '/sign-in',
  '/sign-in?return_to=/sign-in',
  '/sign-in/okta?return_to=/',
  '/sign%2din/okta',
  '/Sign-In/okta',
  '/presets/../sign-in/okta',
  '/api',
  '/api/v1/sign-out',
  '/api%2Fv1/account',
  '/scim/v2/Users',
])('the return path %j becomes the start page', (path) => {
  expect(toReturnPath(path)).toBe('/');
});

it('no return path leads to another origin', () => {
  const parts = ['/', '\\', '.', '..', '%2e', '@', ':', '?', '#', '\t', 'evil.example', 'http:', ''];
  const texts = parts.flatMap((one) =>
    parts.flatMap((two) => parts.flatMap((three) => parts.map((four) => `/${one}${two}${three}${four}`))),
  );
  const origins = new Set(texts.map((text) => new URL(toReturnPath(text), 'https://presetd.example').origin));
  expect([...origins]).toEqual(['https://presetd.example']);
});
