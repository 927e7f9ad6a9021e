import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleProgram } from '../support/bundle-program.ts';
import { checkout, type Program } from '../support/command.ts';
import { makeFolderOnce } from '../support/make-folder-once.ts';
import { isLong } from './scale.ts';

/** The commit of the latest release. Update it with every release. */
const lastRelease = { version: '0.7.0', commit: '13a19e9f1e1836afcb10f2d182ef767a83afdccf' };

const repository = fileURLToPath(new URL('../..', import.meta.url));

export interface ReleasedVersion {
  readonly version: string;
  readonly program: Program;
  remove(): void;
}

/**
 * Extracts the sources of the last release from the Git history. It runs with the current
 * node_modules, so dependencies dropped since then stay in devDependencies until the next release:
 * `typebox`, `@fastify/swagger`, and `@fastify/swagger-ui` for its `@fastify/static`.
 */
export async function checkOutLastRelease(): Promise<ReleasedVersion> {
  const { version, commit } = lastRelease;
  if (!isLong) {
    // Next to its dependencies, once, and bundled like this version: each start would take seconds.
    const kept = join(repository, 'node_modules/.cache/presetd-test-release', commit);
    await makeFolderOnce(kept, async (draft) => extractRelease(draft));
    return { version, program: { ...checkout, script: await bundleProgram(kept) }, remove: () => {} };
  }
  const folder = mkdtempSync(join(tmpdir(), 'presetd-released-'));
  extractRelease(folder);
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'));
  return {
    version,
    program: { node: process.execPath, script: join(folder, 'bin', 'presetd.js') },
    remove: () => rmSync(folder, { recursive: true }),
  };
}

function extractRelease(folder: string): void {
  const archive = join(folder, 'sources.tar');
  ensureCommit();
  git('archive', '--output', archive, lastRelease.commit, 'bin', 'src', 'migrations', 'package.json');
  execFileSync('tar', ['-xf', archive, '-C', folder]);
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
