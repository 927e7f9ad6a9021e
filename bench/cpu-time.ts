import { readdirSync, readFileSync } from 'node:fs';

/**
 * CPU time of processes and their children in milliseconds, as Linux accounts it; 0 elsewhere. On a
 * busy machine this is more meaningful than elapsed time.
 */
export function cpuMs(processes: readonly number[]): number {
  return processes.reduce((sum, process) => sum + ownMs(process) + cpuMs(childrenOf(process)), 0);
}

function ownMs(process: number): number {
  return threadsOf(process).reduce(
    (sum, thread) => sum + Number(read(`/proc/${process}/task/${thread}/schedstat`).split(' ')[0]) / 1e6,
    0,
  );
}

/** The ids of the child processes; empty outside Linux. */
export function childrenOf(process: number): readonly number[] {
  return threadsOf(process).flatMap((thread) =>
    read(`/proc/${process}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
  );
}

function threadsOf(process: number): readonly string[] {
  try {
    return readdirSync(`/proc/${process}/task`);
  } catch {
    // The process has exited, or the system has no /proc.
    return [];
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
