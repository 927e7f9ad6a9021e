import { closeSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { openGenerationFile, shareGenerations } from './shared-generations.ts';

const files: number[] = [];
afterEach(() => {
  for (const file of files.splice(0)) closeSync(file);
});

/** Two processes would have the same file open. */
function twoSharing() {
  const file = openGenerationFile();
  files.push(file);
  return [shareGenerations(file, 1), shareGenerations(file, 2)] as const;
}

describe('generations of several workers', () => {
  it('stay as they are until one of them writes', () => {
    const [one, other] = twoSharing();
    const before = one.presets.of('o w slug');
    expect(other.presets.of('o w slug')).toBe(before);
    other.presets.advance('o w slug');
    const after = one.presets.of('o w slug');
    expect(after).not.toBe(before);
    expect(other.presets.of('o w slug')).toBe(after);
  });

  it('are never the same again, whoever writes', () => {
    const [one, other] = twoSharing();
    const seen = new Set<number>();
    for (let count = 0; count < 1_000; count += 1) {
      (count % 3 === 0 ? other : one).presets.advance('o w slug');
      seen.add(one.presets.of('o w slug'));
    }
    expect(seen.size).toBe(1_000);
  });

  it('of one preset say nothing of most others, and nothing of keys', () => {
    const [one, other] = twoSharing();
    const slugs = Array.from({ length: 1_000 }, (_, index) => `o w slug-${index}`);
    const keyBefore = other.keys.of('hash');
    one.presets.advance('o w slug-0');
    expect(slugs.filter((slug) => other.presets.of(slug) !== 0).length).toBeLessThan(5);
    expect(other.keys.of('hash')).toBe(keyBefore);
  });

  it('are all renewed by what may concern any of them', () => {
    const [one, other] = twoSharing();
    const slugs = Array.from({ length: 1_000 }, (_, index) => `o w slug-${index}`);
    const before = slugs.map((slug) => one.presets.of(slug));
    other.presets.advanceAll();
    expect(slugs.filter((slug, index) => one.presets.of(slug) === before[index])).toEqual([]);
    other.keys.advanceAll();
    expect(one.keys.of('any')).not.toBe(0);
  });

  it('have no place where no folder can be written, which is said in a sentence', () => {
    expect(() => openGenerationFile(['/nowhere', '/nowhere/else'])).toThrow(
      expect.objectContaining({
        name: 'WorkerStartError',
        message: expect.stringMatching(/set TMPDIR to another folder\): ENOENT/),
      }),
    );
  });
});
