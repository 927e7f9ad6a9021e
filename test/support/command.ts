import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { patientDatabase } from './storage-options.ts';
import { releaseAfterTest, spawnInTest } from './test-scope.ts';

/** Of what a server logs in an hour, the end is kept; all of it would not fit into memory. */
const keptMax = 2 ** 26;

/** What is started, and by which Node.js. */
export interface Program {
  readonly node: string;
  readonly script: string;
}

const checkout: Program = {
  node: process.execPath,
  script: fileURLToPath(new URL('../../bin/presetd.js', import.meta.url)),
};

type Environment = Readonly<Record<string, string>>;

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ServerProcess {
  readonly url: string;
  readonly process: ChildProcess;
  stdout(): string;
  /** Sends the signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<Finished>;
}

/** A working directory of the test's own, so that no .env or data folder of ours is met. */
export function createWorkingDirectory(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'presetd-cwd-'));
  const remove = () => rmSync(path, { recursive: true, force: true });
  releaseAfterTest(async () => remove());
  return { path, remove };
}

/** Runs the real command to its end. */
export async function runCommand(
  args: readonly string[],
  cwd: string,
  environment: Environment = {},
  input: string | Uint8Array = '',
  program: Program = checkout,
): Promise<Finished> {
  const { process, finished } = startCommand(args, cwd, environment, program);
  // A command that does not read its input may be gone before it is written.
  process.stdin.on('error', () => undefined);
  process.stdin.end(input);
  return finished;
}

/** Starts the real server on a free port and waits until it listens. */
export async function startServerProcess(
  cwd: string,
  environment: Environment = {},
  program: Program = checkout,
): Promise<ServerProcess> {
  const { process, output, finished } = startCommand(['serve'], cwd, { PORT: '0', ...environment }, program);
  const url = await new Promise<string>((resolve, reject) => {
    const look = () => {
      const match = /listens on (http:\S+)/.exec(output.stdout);
      if (match?.[1] !== undefined) resolve(match[1]);
    };
    process.stdout?.on('data', look);
    finished.then(({ code, stderr }) => reject(new Error(`the server ended with ${code}: ${stderr}`)));
  });
  return {
    url,
    process,
    stdout: () => output.stdout,
    stop(signal = 'SIGTERM') {
      process.kill(signal);
      return finished;
    },
  };
}

/** Starts the real command, for a test that meddles while it runs; it ends with the test at the latest. */
export function startCommand(
  args: readonly string[],
  cwd: string,
  environment: Environment,
  { node, script }: Program = checkout,
) {
  // Only what a command needs: nothing that happens to be set where the tests run may decide them.
  const { PATH = '', HOME = '' } = process.env;
  const child = spawnInTest(node, [script, ...args], {
    cwd,
    env: { PATH, HOME, ...patientDatabase, ...environment },
  });
  const output = { stdout: '', stderr: '' };
  // A character may come in two pieces.
  child.stdout.setEncoding('utf8');
  child.stderr.setEncoding('utf8');
  child.stdout.on('data', (chunk) => {
    output.stdout += chunk;
    if (output.stdout.length > keptMax) output.stdout = output.stdout.slice(-keptMax / 2);
  });
  child.stderr.on('data', (chunk) => {
    output.stderr += chunk;
  });
  const finished: Promise<Finished> = once(child, 'close').then(([code]) => ({ code, ...output }));
  return { process: child, output, finished };
}
