import {
  type ChildProcess,
  type ChildProcessWithoutNullStreams,
  type SpawnOptions,
  type SpawnOptionsWithoutStdio,
  spawn,
} from 'node:child_process';
import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/**
 * The standard input of the guard, a second process that outlives this one just long enough to kill
 * its remaining child processes. Started on first use.
 */
let guard: Writable | undefined;

/**
 * Starts a process that cannot outlive this one. It leads its own process group, so that its
 * children end with it. Ctrl-C in a terminal does not reach that group: the guard kills it once
 * this process has exited.
 */
export function spawnGuarded(
  command: string,
  args: readonly string[],
  options: SpawnOptionsWithoutStdio,
): ChildProcessWithoutNullStreams;
export function spawnGuarded(command: string, args: readonly string[], options: SpawnOptions): ChildProcess;
export function spawnGuarded(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  guard ??= startGuard();
  const child = spawn(command, args, { ...options, detached: true });
  if (child.pid !== undefined) guard.write(`+${child.pid}\n`);
  return child;
}

/**
 * Kills a guarded process and its children, if they still run. Call it once: the process id may be
 * reused later.
 */
export function killGroup({ pid }: Pick<ChildProcess, 'pid'>): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The whole group has exited already.
  }
  guard?.write(`-${pid}\n`);
}

function startGuard(): Writable {
  const program = fileURLToPath(new URL('./process-guard.ts', import.meta.url));
  const child = spawn(process.execPath, [program], { detached: true, stdio: ['pipe', 'ignore', 'inherit'] });
  child.unref();
  // Neither the guard nor its pipe may keep this process alive: the guard waits for it to exit.
  (child.stdin as Writable & { unref?(): void }).unref?.();
  child.stdin.on('error', () => undefined);
  return child.stdin;
}
