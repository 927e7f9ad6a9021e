import { expect, test } from 'vitest';
import { describePin, isKnownPin, limitOf, pinFrom, pinnedVersion, referenceOf } from './pins.ts';

const labels = [{ label: 'production', version: 2, updated_at: '2026-11-15T02:04:17.974Z' }];
const versions = { latest: 4, live: 3, labels };

test.each([
  ['', '@preset/support-bot', 'Whatever is live, now version 3.'],
  ['latest', '@preset/support-bot:latest', 'Always the newest, now version 4, also before it is live.'],
  ['2', '@preset/support-bot@2', 'Version 2, whatever happens to the preset.'],
  ['production', '@preset/support-bot:production', 'The version that is called production, now version 2.'],
])('the pin "%s" is written as %s', (pin, reference, meaning) => {
  expect(isKnownPin(pin, versions)).toBe(true);
  expect(referenceOf('support-bot', pin)).toBe(reference);
  expect(describePin(pin, versions)).toBe(meaning);
});

test.each(['0', '5', '1e1', '-1', 'staging', '2x'])('there is nothing behind the pin "%s"', (pin) => {
  expect(isKnownPin(pin, versions)).toBe(false);
});

test.each(['1', '12', 'latest', 'production', 'a-1'])('an address may have the pin "%s"', (pin) => {
  expect(pinFrom(pin)).toBe(pin);
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
])('an address with the pin %j means the live version', (text) => {
  expect(pinFrom(text)).toBe('');
});

test.each([
  ['', 2],
  ['latest', 4],
  ['3', 3],
  ['5', undefined],
  ['production', 1],
  ['nobody', undefined],
])('the pin "%s" stands for version %s', (pin, version) => {
  const labels = [{ label: 'production', version: 1, updated_at: '' }];
  expect(pinnedVersion(pin, { latest: 4, live: 2, labels })).toBe(version);
});

test.each([
  [undefined, undefined],
  [{}, undefined],
  [{ max_tokens: 5000 }, 5000],
  [{ max_completion_tokens: 300 }, 300],
  [{ max_output_tokens: 200 }, 200],
])('the limit of %j is %s', (config, limit) => {
  expect(limitOf(config)).toBe(limit);
});
