import { expect, test } from 'vitest';
import { describePin, modelReference, parsePin, pinExists, resolvePin } from './pins.ts';

const labels = [{ label: 'production', version: 2, updated_at: '2026-11-15T02:04:17.974Z' }];
const versions = { latest: 4, live: 3, labels };

test.each([
  ['', '@preset/support-bot', 'Follows the live version, currently 3.'],
  [
    'latest',
    '@preset/support-bot:latest',
    'Follows the latest version, currently 4, even if it is not live.',
  ],
  ['2', '@preset/support-bot@2', 'Always version 2.'],
  ['production', '@preset/support-bot:production', 'Follows the label production, currently on version 2.'],
])('the pin "%s" becomes the model %s', (pin, reference, meaning) => {
  expect(pinExists(pin, versions)).toBe(true);
  expect(modelReference('support-bot', pin)).toBe(reference);
  expect(describePin(pin, versions)).toBe(meaning);
});

test.each(['0', '5', '1e1', '-1', 'staging', '2x'])('the pin "%s" does not exist', (pin) => {
  expect(pinExists(pin, versions)).toBe(false);
});

test.each(['1', '12', 'latest', 'production', 'a-1'])('parsePin accepts "%s" from the URL', (pin) => {
  expect(parsePin(pin)).toBe(pin);
});

test.each([
  null,
  '',
  "x'; touch /tmp/pwned; echo '",
  "1'",
  'production"',
  'production\n',
  '$(id)',
  '2x',
  '0',
  'Production',
  'designated',
])('parsePin treats %j from the URL as the live version', (text) => {
  expect(parsePin(text)).toBe('');
});

test.each([
  ['', 2],
  ['latest', 4],
  ['3', 3],
  ['5', undefined],
  ['production', 1],
  ['nobody', undefined],
])('the pin "%s" resolves to version %s', (pin, version) => {
  const labels = [{ label: 'production', version: 1, updated_at: '' }];
  expect(resolvePin(pin, { latest: 4, live: 2, labels })).toBe(version);
});
