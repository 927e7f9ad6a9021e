import {
  type ChildProcess,
  type ChildProcessWithoutNullStreams,
  type SpawnOptions,
  type SpawnOptionsWithoutStdio,
  spawn,
} from 'node:child_process';
import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** A second process that outlives this one just long enough to kill what it leaves; started on first use. */
let guard: Writable | undefined;

/**
 * Starts a process that cannot outlive the one that started it. It leads a process group of its
 * own, so that its children end with it. Ctrl-C in a terminal does not reach that group: the guard
 * ends it once this process is gone.
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

/** Kills a guarded process and its children, if any still run. To be called once: the number may be reused later. */
export function killGroup({ pid }: Pick<ChildProcess, 'pid'>): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The whole group has ended already.
  }
  guard?.write(`-${pid}\n`);
}

function startGuard(): Writable {
  const program = fileURLToPath(new URL('./process-guard.ts', import.meta.url));
  const child = spawn(process.execPath, [program], { detached: true, stdio: ['pipe', 'ignore', 'inherit'] });
  child.unref();
  // Neither the process nor the pipe may keep this one alive: its end is what the guard waits for.
  (child.stdin as Writable & { unref?(): void }).unref?.();
  child.stdin.on('error', () => undefined);
  return child.stdin;
}
