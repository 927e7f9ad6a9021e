import { describe, expect, it } from 'vitest';
import { renderProgress } from './progress.ts';

describe('renderProgress', () => {
  it.each([
    [0, 10, 'Copying [..............................] 0 of 10 files'],
    [5, 10, 'Copying [###############...............] 5 of 10 files'],
    [10, 10, 'Copying [##############################] 10 of 10 files'],
    [11, 10, 'Copying [##############################] 11 of 10 files'],
    [0, 0, 'Copying [##############################] 0 of 0 files'],
    [7, undefined, 'Copying 7 files'],
    [1, undefined, 'Copying 1 file'],
    [0, 1, 'Copying [..............................] 0 of 1 file'],
  ])('progress of %i of %s is drawn as: %s', (done, total, line) => {
    expect(renderProgress('Copying', ['file', 'files'], done, total)).toBe(line);
  });
});
