import { describe, expect, it } from 'vitest';
import {
  assertSettableLabel,
  labelsMax,
  parseVersion,
  requireExistingVersion,
  resolveVersion,
} from './label.ts';
import type { PresetState } from './preset.ts';
import { moveLabel } from './preset-change.ts';

const preset: PresetState = {
  id: 'id',
  workspaceId: 'workspace',
  slug: 'mail',
  name: 'Mail',
  description: null,
  status: 'active',
  statusUpdatedAt: null,
  creatorUserId: 'user',
  createdAt: '',
  updatedAt: '',
  latestVersion: 7,
  designatedNumber: 5,
  revision: 9,
  tags: [],
  labels: new Map([
    ['production', { version: 3, updatedAt: '' }],
    ['constructor', { version: 4, updatedAt: '' }],
  ]),
  aliases: new Map(),
};

describe('assertSettableLabel', () => {
  it.each(['a', 'a1', 'production', 'a-', 'a--b', 'x'.repeat(63), 'constructor', 'tostring'])(
    'accepts the label %s',
    (label) => {
      expect(() => assertSettableLabel(label)).not.toThrow();
    },
  );

  it.each(['', 'A', '1', '1a', '-a', '_a', 'a_b', 'a.b', 'a b', 'ä', 'a\n', '\na', 'x'.repeat(64)])(
    'rejects the label %j',
    (label) => {
      expect(() => assertSettableLabel(label)).toThrow('1 to 63 characters from a-z 0-9 -');
    },
  );

  it.each([
    ['latest', 'newest'],
    ['designated', 'live'],
  ])('the reserved label %s is rejected', (label, meaning) => {
    expect(() => assertSettableLabel(label)).toThrow(`always means the ${meaning} version`);
  });
});

describe('resolveVersion', () => {
  it.each([
    ['1', 1],
    ['7', 7],
    ['latest', 7],
    ['designated', 5],
    ['production', 3],
    ['constructor', 4],
  ])('resolves the reference %s to version %i', (reference, version) => {
    expect(resolveVersion(preset, reference, '/against')).toBe(version);
  });

  it.each([
    ['8', 'The preset "mail" has no version 8; it has versions 1 to 7.'],
    ['2147483647', 'The preset "mail" has no such version; it has versions 1 to 7.'],
    ['9'.repeat(400), 'The preset "mail" has no such version; it has versions 1 to 7.'],
    [
      'staging',
      'The preset "mail" has no label "staging"; it has production, constructor, latest, designated.',
    ],
    ['hasownproperty', 'has no label "hasownproperty"'],
  ])('the reference %s is not found', (reference, message) => {
    expect(() => resolveVersion(preset, reference, '/against')).toThrow(
      expect.objectContaining({ kind: 'not_found', message: expect.stringContaining(message) }),
    );
  });

  it.each(['', '0', '01', '1.0', '1e1', '1 ', ' 1', '+1', '-1', '1a', '٣', 'Production', 'a b', '1\n'])(
    'rejects the reference %j, which is neither a number nor a label',
    (reference) => {
      expect(() => resolveVersion(preset, reference, '/against')).toThrow(
        expect.objectContaining({ kind: 'invalid_request' }),
      );
    },
  );

  it('requireExistingVersion names the only version of a preset', () => {
    expect(() => requireExistingVersion({ ...preset, latestVersion: 1 }, 2)).toThrow('it has version 1.');
  });
});

describe('parseVersion', () => {
  it.each([
    ['1', 1],
    ['2147483646', 2_147_483_646],
    // Larger than any version, and small enough for both engines to query.
    ['2147483647', 2_147_483_647],
    ['99999999999', 2_147_483_647],
  ])('the version %s is parsed as %i', (text, version) => {
    expect(parseVersion(text)).toBe(version);
  });

  it.each(['', '0', '00', '-0', '0x1', '1_000', 'NaN', 'Infinity', '1\n'])(
    'rejects the version %j',
    (text) => {
      expect(() => parseVersion(text)).toThrow('A version must be a positive whole number');
    },
  );
});

it('a preset with as many labels as it can have gets no other one, but can move those that it has', () => {
  const names = Array.from({ length: labelsMax }, (_, index) => `label-${index}`);
  const labelsOf = (some: readonly string[]) =>
    new Map(some.map((name) => [name, { version: 3, updatedAt: '' }]));
  const full = { ...preset, labels: labelsOf(names) };
  expect(() => moveLabel('another', 3)(full, 'now')).toThrow('already has 100 labels, the maximum');
  expect(moveLabel('label-0', 4)(full, 'now')?.next.labels.get('label-0')).toMatchObject({ version: 4 });
  const free = { ...preset, labels: labelsOf(names.slice(1)) };
  expect(moveLabel('another', 3)(free, 'now')?.next.labels.size).toBe(labelsMax);
});
