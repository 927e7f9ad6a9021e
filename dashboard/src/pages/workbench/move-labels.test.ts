import { expect, test } from 'vitest';
import { ApiError } from '../../api/api-error.ts';
import { moveLabels } from './move-labels.ts';

test('each label moves with the ETag of the move before', async () => {
  const calls: string[] = [];
  const result = await moveLabels(['beta', 'staging'], 'e1', async (label, etag) => {
    calls.push(`${label} ${etag}`);
    return `e${calls.length + 1}`;
  });
  expect(calls).toEqual(['beta e1', 'staging e2']);
  expect(result).toEqual({ moved: ['beta', 'staging'], etag: 'e3', problem: undefined });
});

test('a failed move reports which labels have moved and which have not', async () => {
  const result = await moveLabels(['beta', 'staging', 'canary'], 'e1', async (label) => {
    if (label === 'staging') throw new ApiError(412, 'Precondition failed.');
    return 'e2';
  });
  expect(result).toEqual({
    moved: ['beta'],
    etag: 'e2',
    problem: 'Could not move staging, canary: someone else changed the preset',
  });
});
