import { readdirSync, readFileSync } from 'node:fs';

/**
 * Milliseconds for which processes and those that they started have had a processor, as Linux counts them; not a number
 * elsewhere. On a machine that does other things as well, this tells more than the time that goes by.
 */
export function processorMs(processes: readonly number[]): number {
  return processes.reduce((sum, process) => sum + ownMs(process) + processorMs(childrenOf(process)), 0);
}

function ownMs(process: number): number {
  return threadsOf(process).reduce(
    (sum, thread) => sum + Number(read(`/proc/${process}/task/${thread}/schedstat`).split(' ')[0]) / 1e6,
    0,
  );
}

export function childrenOf(process: number): readonly number[] {
  return threadsOf(process).flatMap((thread) =>
    read(`/proc/${process}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
  );
}

function threadsOf(process: number): readonly string[] {
  try {
    return readdirSync(`/proc/${process}/task`);
  } catch {
    // It has ended, or there is no such folder on this system.
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
