import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface SmallDisk {
  readonly path: string;
  /** Uses up all free space. */
  fill(): void;
  /** Frees the space that `fill` used. */
  free(): void;
  makeReadOnly(): void;
  remove(): void;
}

/** Mounts a small tmpfs. Needs root, or a user namespace: `unshare -rm npm test`. */
export function mountSmallDisk(mebibytes: number): SmallDisk {
  const path = mkdtempSync(join(tmpdir(), 'presetd-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=1777`, 'tmpfs', path]);
  const ballast = join(path, 'ballast');
  return {
    path,
    fill() {
      const block = Buffer.alloc(4_096);
      for (;;) {
        try {
          appendFileSync(ballast, block);
        } catch (error) {
          if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') return;
          throw error;
        }
      }
    },
    free: () => rmSync(ballast, { force: true }),
    makeReadOnly: () => execFileSync('mount', ['-o', 'remount,ro', path]),
    remove() {
      execFileSync('umount', ['--lazy', path]);
      rmdirSync(path);
    },
  };
}
