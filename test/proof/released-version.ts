import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Program } from '../support/command.ts';

/** The commit of the latest release. Update it with every release. */
const lastRelease = { version: '0.6.0', commit: 'd46789b6e773e9cc16eff5379e2d515bd5efff0c' };

const repository = fileURLToPath(new URL('../..', import.meta.url));

export interface ReleasedVersion {
  readonly version: string;
  readonly program: Program;
  remove(): void;
}

/**
 * Extracts the sources of the last release from the Git history. It runs with the current
 * node_modules, so dependencies dropped since then stay in devDependencies until the next release:
 * `@fastify/rate-limit` and `@fastify/swagger-ui`.
 */
export function checkOutLastRelease(): ReleasedVersion {
  const folder = mkdtempSync(join(tmpdir(), 'presetd-released-'));
  const archive = join(folder, 'sources.tar');
  ensureCommit();
  git('archive', '--output', archive, lastRelease.commit, 'bin', 'src', 'migrations', 'package.json');
  execFileSync('tar', ['-xf', archive, '-C', folder]);
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'));
  return {
    version: lastRelease.version,
    program: { node: process.execPath, script: join(folder, 'bin', 'presetd.js') },
    remove: () => rmSync(folder, { recursive: true }),
  };
}

/** Fetches the commit if this is a shallow clone. */
function ensureCommit(): void {
  const { version, commit } = lastRelease;
  if (!existsSync(join(repository, '.git')))
    throw new Error(
      `The sources of ${version} are in the Git history: run the tests in a clone of the repository.`,
    );
  if (hasCommit()) return;
  try {
    git('fetch', '--quiet', '--depth=1', 'origin', commit);
  } catch (error) {
    throw new Error(
      `This clone lacks the sources of ${version} (${commit}), and cannot fetch them. Run "git fetch --unshallow".`,
      { cause: error },
    );
  }
}

function hasCommit(): boolean {
  try {
    git('cat-file', '-e', `${lastRelease.commit}^{commit}`);
    return true;
  } catch {
    return false;
  }
}

function git(...args: readonly string[]): void {
  execFileSync('git', args, { cwd: repository, stdio: 'pipe' });
}
