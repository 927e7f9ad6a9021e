import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import { nodeOptions } from './save-compiled-code.ts';
import { longDatabaseTimeout } from './storage-options.ts';
import { releaseAfterTest, spawnInTest } from './test-scope.ts';

/** Only the end of a long output is kept: an hour of server logs would not fit into memory. */
const outputCharactersMax = 2 ** 26;

/** The script to run, and the Node.js that runs it. */
export interface Program {
  readonly node: string;
  readonly script: string;
  /** Options of Node.js. */
  readonly options?: readonly string[];
}

const bundled = inject('program');

/**
 * The command of this checkout, bundled to start faster, and with a larger space for new objects: a
 * tenth of the CPU time of a start goes into collecting them.
 */
export const checkout: Program = {
  node: process.execPath,
  script: bundled ?? fileURLToPath(new URL('../../bin/presetd.js', import.meta.url)),
  ...(bundled && { options: nodeOptions }),
};

export type Environment = Readonly<Record<string, string>>;

/** A command that has exited. */
export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A server that runs as a child process. */
export interface ServerProcess {
  readonly url: string;
  readonly process: ChildProcess;
  stdout(): string;
  /** Sends the signal, SIGTERM by default, and waits for the process to exit. */
  stop(signal?: NodeJS.Signals): Promise<CommandResult>;
}

/** Creates a working directory for one test, so that it finds no .env file or data of ours. */
export function createWorkingDirectory(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'presetd-cwd-'));
  const remove = () => rmSync(path, { recursive: true, force: true });
  releaseAfterTest(async () => remove());
  return { path, remove };
}

/** Keeps the profiles that one test signs in with out of the others, which have the same home. */
export function isolatedProfiles(cwd: string): Environment {
  return { XDG_CONFIG_HOME: join(cwd, '.config') };
}

/** Runs the real command in its own process and waits for it to exit. */
export async function spawnCommand(
  args: readonly string[],
  cwd: string,
  environment: Environment = {},
  input: string | Uint8Array = '',
  program: Program = checkout,
): Promise<CommandResult> {
  const { process, finished } = startCommand(args, cwd, environment, program);
  // A command that does not read its input may exit before it is written.
  process.stdin.on('error', () => undefined);
  process.stdin.end(input);
  return finished;
}

/**
 * Starts the real server on a free port and waits until it listens. Rejects when it exits before.
 */
export async function startServerProcess(
  cwd: string,
  environment: Environment = {},
  program: Program = checkout,
): Promise<ServerProcess> {
  const { process, output, finished } = startCommand(['serve'], cwd, { PORT: '0', ...environment }, program);
  const url = await new Promise<string>((resolve, reject) => {
    const findUrl = () => {
      const match = /listens on (http:\S+)/.exec(output.stdout);
      if (match?.[1] !== undefined) resolve(match[1]);
    };
    process.stdout?.on('data', findUrl);
    finished.then(({ code, stderr }) => reject(new Error(`the server exited with ${code}: ${stderr}`)));
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

/**
 * Starts the real command, for a test that interacts with it while it runs. It is killed when the
 * test ends.
 */
export function startCommand(
  args: readonly string[],
  cwd: string,
  environment: Environment,
  { node, script, options = [] }: Program = checkout,
) {
  // Only what a command needs: not even the variables of the test runner.
  const { PATH = '', HOME = '' } = process.env;
  const child = spawnInTest(node, [...options, script, ...args], {
    cwd,
    env: { PATH, HOME, ...isolatedProfiles(cwd), ...longDatabaseTimeout, ...environment },
  });
  const output = { stdout: '', stderr: '' };
  // A multi-byte character may be split between chunks.
  child.stdout.setEncoding('utf8');
  child.stderr.setEncoding('utf8');
  child.stdout.on('data', (chunk) => {
    output.stdout += chunk;
    if (output.stdout.length > outputCharactersMax)
      output.stdout = output.stdout.slice(-outputCharactersMax / 2);
  });
  child.stderr.on('data', (chunk) => {
    output.stderr += chunk;
  });
  const finished: Promise<CommandResult> = once(child, 'close').then(([code]) => ({ code, ...output }));
  return { process: child, output, finished };
}
