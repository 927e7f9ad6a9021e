import { AsyncLocalStorage } from 'node:async_hooks';
import type { ChildProcessWithoutNullStreams, SpawnOptionsWithoutStdio } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, onTestFinished } from 'vitest';
import { killGroup, spawnGuarded } from './guarded-process.ts';

type Release = () => Promise<unknown> | unknown;

/**
 * Releases of resources that were acquired outside a test, as in `beforeAll`. They run at the
 * end of the file.
 */
const fileReleases = new Set<Release>();

/**
 * Releases a resource when its test ends, or when its file ends if `beforeAll` acquired it, unless
 * the test has released it before. A test that fails or times out half-way therefore leaves a clean
 * state. Returns a function that releases it earlier and may be called more than once.
 */
export function releaseAfterTest<Result>(release: () => Promise<Result>): () => Promise<Result> {
  let released: Promise<Result> | undefined;
  const releaseOnce = () => {
    fileReleases.delete(releaseOnce);
    released ??= release();
    return released;
  };
  if (isFileScoped.getStore() === true || !isReleasedByTest(releaseOnce)) fileReleases.add(releaseOnce);
  return releaseOnce;
}

/** Registers the release with the current test; false outside one. */
function isReleasedByTest(release: Release): boolean {
  try {
    onTestFinished(async () => void (await release()));
    return true;
  } catch {
    return false;
  }
}

const isFileScoped = new AsyncLocalStorage<true>();

/** Keeps resources that `start` acquires, such as a restarted server, until the end of the file. */
export function shareWithFile<Result>(start: () => Result): Result {
  return isFileScoped.run(true, start);
}

/** Starts a process that is killed, with its children, when the test ends. */
export function spawnInTest(
  command: string,
  args: readonly string[],
  options: SpawnOptionsWithoutStdio = {},
): ChildProcessWithoutNullStreams {
  const child = spawnGuarded(command, args, options);
  const closed = once(child, 'close');
  // Rejects when the program does not exist, which the test notices by itself.
  closed.catch(() => undefined);
  releaseAfterTest(async () => {
    killGroup(child);
    await closed.catch(() => undefined);
  });
  return child;
}

/** Like a promisified execFile, for a program that is killed when the test ends. */
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
  const message = `${command} ${args.join(' ')} exited with ${code ?? signal}: ${stderr}`;
  throw Object.assign(new Error(message), { code, stdout, stderr });
}

/**
 * For the setup file: its hooks are registered before those of every test file, so this one runs
 * last.
 */
export function releaseAfterFile(): void {
  afterAll(async () => {
    for (const release of [...fileReleases].reverse()) await release();
  });
}
