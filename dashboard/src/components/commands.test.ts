import { expect, test } from 'vitest';
import { type Keys, keyNames, keysText, matchesKeys } from './commands.ts';

const none = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };

test.each<[string, Partial<typeof none> & { key: string }, Keys, boolean]>([
  ['Ctrl+K', { key: 'k', ctrlKey: true }, 'Mod+K', true],
  ['⌘K', { key: 'k', metaKey: true }, 'Mod+K', true],
  ['K', { key: 'k' }, 'Mod+K', false],
  ['Ctrl+Shift+K', { key: 'K', ctrlKey: true, shiftKey: true }, 'Mod+K', false],
  ['Ctrl+Shift+Enter', { key: 'Enter', ctrlKey: true, shiftKey: true }, 'Mod+Shift+Enter', true],
  [
    'Ctrl+Alt+K, which types a letter on some keyboards',
    { key: 'k', ctrlKey: true, altKey: true },
    'Mod+K',
    false,
  ],
  ['? with Shift', { key: '?', shiftKey: true }, '?', true],
  ['? without Shift', { key: '?' }, '?', true],
  ['Ctrl+?', { key: '?', ctrlKey: true }, '?', false],
  ['J', { key: 'j' }, 'J', true],
  ['J with Caps Lock', { key: 'J' }, 'J', true],
  ['Shift+J', { key: 'J', shiftKey: true }, 'J', false],
  ['Ctrl+J', { key: 'j', ctrlKey: true }, 'J', false],
  ['F8', { key: 'F8' }, 'F8', true],
])('pressing $0 matches $2: $3', (_name, pressed, keys, isMatch) => {
  expect(matchesKeys({ ...none, ...pressed }, keys)).toBe(isMatch);
});

test('keys are named as on the keyboard of the user', () => {
  expect(keyNames('Mod+Shift+Enter', false)).toEqual(['Ctrl', 'Shift', 'Enter']);
  expect(keyNames('Mod+Shift+Enter', true)).toEqual(['⇧', '⌘', '↵']);
  expect([keysText('Mod+K', false), keysText('Mod+K', true)]).toEqual(['Ctrl+K', '⌘K']);
});
