import { expect, test } from 'vitest';
import { ApiError } from '../../api/api-error.ts';
import { type LabelMove, moveLabels } from './move-labels.ts';

const moves = (...names: readonly string[]): readonly LabelMove[] =>
  names.map((label) => ({ label, from: 1, to: 3 }));
const placed = (...names: readonly string[]) => names.map((label) => ({ label, version: 1 }));

test('each label moves with the ETag of the move before', async () => {
  const calls: string[] = [];
  const both = moves('beta', 'staging');
  const result = await moveLabels(both, 'e1', {
    read: async () => placed('beta', 'staging'),
    move: async ({ label, to }, etag) => {
      calls.push(`${label} ${to} ${etag}`);
      return `e${calls.length + 1}`;
    },
  });
  expect(calls).toEqual(['beta 3 e1', 'staging 3 e2']);
  expect(result).toEqual({ moved: both, problem: undefined });
});

test('a failed move reports which labels have moved and which have not', async () => {
  const result = await moveLabels(moves('beta', 'staging', 'canary'), 'e1', {
    read: async () => placed('beta', 'staging', 'canary'),
    move: async ({ label }) => {
      if (label === 'staging') throw new ApiError(412, 'Precondition failed.');
      return 'e2';
    },
  });
  expect(result).toEqual({
    moved: moves('beta'),
    problem: 'Could not move staging, canary: someone else changed the preset',
  });
});

test('a label that someone else has moved or removed stays, and the user hears of it', async () => {
  const result = await moveLabels(moves('beta', 'staging', 'canary'), 'e1', {
    read: async () => [...placed('staging'), { label: 'beta', version: 2 }],
    move: async () => 'e2',
  });
  expect(result).toEqual({
    moved: moves('staging'),
    problem: 'Did not move beta, canary: changed by someone else',
  });
});
