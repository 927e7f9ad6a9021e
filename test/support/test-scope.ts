import { AsyncLocalStorage } from 'node:async_hooks';
import type { ChildProcessWithoutNullStreams, SpawnOptionsWithoutStdio } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, onTestFinished } from 'vitest';
import { killGroup, spawnGuarded } from './guarded-process.ts';

type Release = () => Promise<unknown> | unknown;

/** Started outside of any test, as in `beforeAll`: released at the end of the file. */
const heldByFile = new Set<Release>();

/**
 * Releases a resource when its test ends, or its file where `beforeAll` started it, unless the test
 * has released it before. A test that fails or times out half-way thus leaves the next one a clean
 * state. Returns the function to release it earlier with, which may be called more than once.
 */
export function releaseAfterTest<Result>(release: () => Promise<Result>): () => Promise<Result> {
  let released: Promise<Result> | undefined;
  const releaseOnce = () => {
    heldByFile.delete(releaseOnce);
    released ??= release();
    return released;
  };
  if (isSharedByFile.getStore() === true || !isReleasedByTest(releaseOnce)) heldByFile.add(releaseOnce);
  return releaseOnce;
}

/** False outside of a test. */
function isReleasedByTest(release: Release): boolean {
  try {
    onTestFinished(async () => void (await release()));
    return true;
  } catch {
    return false;
  }
}

const isSharedByFile = new AsyncLocalStorage<true>();

/** Keeps the resources that `start` acquires, such as a restarted server, until the end of the file. */
export function shareWithFile<Result>(start: () => Result): Result {
  return isSharedByFile.run(true, start);
}

/** Starts a process that ends with its test at the latest, and its children with it. */
export function spawnInTest(
  command: string,
  args: readonly string[],
  options: SpawnOptionsWithoutStdio = {},
): ChildProcessWithoutNullStreams {
  const child = spawnGuarded(command, args, options);
  const closed = once(child, 'close');
  // Rejects where there is no such program, which the test sees by itself.
  closed.catch(() => undefined);
  releaseAfterTest(async () => {
    killGroup(child);
    await closed.catch(() => undefined);
  });
  return child;
}

/** Like a promisified execFile, for a program that ends with its test at the latest. */
export async function execFileInTest(
  command: string,
  args: readonly string[],
  options: SpawnOptionsWithoutStdio = {},
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const child = spawnInTest(command, args, options);
  // A program that does not read its input may have exited already.
  child.stdin.on('error', () => undefined).end();
  const [stdout, stderr, [code, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  if (code === 0) return { stdout, stderr };
  const message = `${command} ${args.join(' ')} ended with ${code ?? signal}: ${stderr}`;
  throw Object.assign(new Error(message), { code, stdout, stderr });
}

/** For the setup file: its hooks come before those of every test file, so this one runs after theirs. */
export function releaseAfterFile(): void {
  afterAll(async () => {
    for (const release of [...heldByFile].reverse()) await release();
  });
}
