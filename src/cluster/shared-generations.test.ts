import { closeSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { openGenerationFile, shareGenerations } from './shared-generations.ts';

const files: number[] = [];
afterEach(() => {
  for (const file of files.splice(0)) closeSync(file);
});

/** The generations of two processes that have the same file open. */
function createTwoSharing() {
  const file = openGenerationFile();
  files.push(file);
  return [shareGenerations(file, 1), shareGenerations(file, 2)] as const;
}

describe('shared generations', () => {
  it('a generation stays the same until a process advances it', () => {
    const [one, other] = createTwoSharing();
    const before = one.presets.of('o w slug');
    expect(other.presets.of('o w slug')).toBe(before);
    other.presets.advance('o w slug');
    const after = one.presets.of('o w slug');
    expect(after).not.toBe(before);
    expect(other.presets.of('o w slug')).toBe(after);
  });

  it('a generation never repeats, whichever process advances it', () => {
    const [one, other] = createTwoSharing();
    const seen = new Set<number>();
    for (let count = 0; count < 1_000; count += 1) {
      (count % 3 === 0 ? other : one).presets.advance('o w slug');
      seen.add(one.presets.of('o w slug'));
    }
    expect(seen.size).toBe(1_000);
  });

  it('advancing one preset affects few other presets and no keys', () => {
    const [one, other] = createTwoSharing();
    const slugs = Array.from({ length: 1_000 }, (_, index) => `o w slug-${index}`);
    const keyBefore = other.keys.of('hash');
    one.presets.advance('o w slug-0');
    expect(slugs.filter((slug) => other.presets.of(slug) !== 0).length).toBeLessThan(5);
    expect(other.keys.of('hash')).toBe(keyBefore);
  });

  it('advanceAll changes every generation', () => {
    const [one, other] = createTwoSharing();
    const slugs = Array.from({ length: 1_000 }, (_, index) => `o w slug-${index}`);
    const before = slugs.map((slug) => one.presets.of(slug));
    other.presets.advanceAll();
    expect(slugs.filter((slug, index) => one.presets.of(slug) === before[index])).toEqual([]);
    other.keys.advanceAll();
    expect(one.keys.of('any')).not.toBe(0);
  });

  it('workers cannot start if no folder is writable', () => {
    expect(() => openGenerationFile(['/nowhere', '/nowhere/else'])).toThrow(
      expect.objectContaining({
        name: 'WorkerStartError',
        message: expect.stringMatching(/set TMPDIR to another folder\): ENOENT/),
      }),
    );
  });
});
