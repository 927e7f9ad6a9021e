import { readdirSync, readFileSync } from 'node:fs';

export interface VitalSigns {
  readonly residentMiB: number;
  /** Open files and sockets. */
  readonly handles: number;
}

/** Memory and handles of a process on this machine. */
export function vitalSigns(pid: number): VitalSigns {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return {
    residentMiB: Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024),
    handles: readdirSync(`/proc/${pid}/fd`).length,
  };
}

/** The 99th percentile since the last scrape. */
export async function eventLoopDelayMs(metricsUrl: string): Promise<number> {
  const text = await (await fetch(metricsUrl)).text();
  return Number(/^nodejs_eventloop_lag_p99_seconds (\S+)$/m.exec(text)?.[1]) * 1_000;
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
