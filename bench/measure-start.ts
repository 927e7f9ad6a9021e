import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import {
  creatingOperations,
  inferenceOperations,
  organizationOperations,
  presetOperations,
} from '../test/support/every-operation.ts';
import { unknownNames } from '../test/support/sample-requests.ts';
import { cpuMs } from './cpu-time.ts';
import { apiKey, createDatabase, managementKey } from './database.ts';
import { type ServerProcess, startBaseline, startPresetd } from './server-process.ts';

/** What a start costs, and what it leaves to the first requests. Medians of all rounds. */
export interface StartRow {
  readonly name: string;
  /** Until the response to the first request. */
  readonly startMs: number;
  readonly startCpuMs: number;
  /** Resident memory at rest, and after the first request of every operation. */
  readonly restMiB: number;
  readonly usedMiB: number;
  /** The longest that a request had to wait while the server was at rest. */
  readonly longestWaitMs: number;
  /** The operation whose first request took the most CPU time. */
  readonly slowestFirst: { readonly operation: string; readonly cpuMs: number };
}

const restMs = 5_000;

/** Starts presetd, waits while it is at rest, and sends the first request of each operation. */
export async function measureStart(
  name: string,
  { rounds, baselineFolder }: { readonly rounds: number; readonly baselineFolder?: string | undefined },
  interruption: AbortSignal,
): Promise<StartRow> {
  const database = await createDatabase('sqlite', undefined, 'start');
  try {
    const rows: StartRow[] = [];
    // The first start fills the compile cache.
    for (let round = 0; round <= rounds; round += 1) {
      interruption.throwIfAborted();
      rows.push(await measureOnce(name, database.url, baselineFolder));
      process.stderr.write(`${name}: ${JSON.stringify(rows.at(-1))}\n`);
    }
    return medianOf(rows.slice(1));
  } finally {
    await database.remove();
  }
}

async function measureOnce(name: string, url: string, baselineFolder: string | undefined): Promise<StartRow> {
  const startedAt = performance.now();
  const server = await (baselineFolder === undefined
    ? startPresetd(url)
    : startBaseline(baselineFolder, url));
  try {
    await request(`${server.url}/readyz`);
    const startMs = performance.now() - startedAt;
    const startCpuMs = cpuMs([server.processId]);
    const longestWaitMs = await longestWait(server.url);
    const restMiB = residentMiB(server.processId);
    const slowestFirst = await slowestFirstRequest(server);
    const usedMiB = residentMiB(server.processId);
    return { name, startMs, startCpuMs, restMiB, usedMiB, longestWaitMs, slowestFirst };
  } finally {
    await server.stop();
  }
}

async function longestWait(url: string): Promise<number> {
  let longest = 0;
  const end = performance.now() + restMs;
  while (performance.now() < end) {
    const sentAt = performance.now();
    await request(`${url}/healthz`);
    longest = Math.max(longest, performance.now() - sentAt);
    // Few requests, so that they take little memory.
    await delay(50);
  }
  return longest;
}

async function slowestFirstRequest({ url, processId }: ServerProcess): Promise<StartRow['slowestFirst']> {
  const byKey = [
    [{ ...presetOperations, ...creatingOperations, ...inferenceOperations }, apiKey],
    [organizationOperations, managementKey],
  ] as const;
  let slowest = { operation: '', cpuMs: 0 };
  for (const [operations, key] of byKey)
    for (const [operation, requestsOf] of Object.entries(operations)) {
      const [first] = requestsOf(unknownNames());
      if (first === undefined) continue;
      const { method, path, body, headers } = first;
      const before = cpuMs([processId]);
      await request(`${url}/api/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const taken = cpuMs([processId]) - before;
      if (taken > slowest.cpuMs) slowest = { operation, cpuMs: taken };
    }
  return slowest;
}

async function request(url: string, options: RequestInit = {}): Promise<void> {
  await (await fetch(url, options)).arrayBuffer();
}

/** As Linux reports it; NaN elsewhere. */
function residentMiB(processId: number): number {
  const status = readFileSync(`/proc/${processId}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

function medianOf(rows: readonly StartRow[]): StartRow {
  const median = (pick: (row: StartRow) => number) =>
    rows.map(pick).toSorted((one, other) => one - other)[Math.floor(rows.length / 2)] ?? Number.NaN;
  const slowest = median(({ slowestFirst }) => slowestFirst.cpuMs);
  return {
    name: rows[0]?.name ?? '',
    startMs: median((row) => row.startMs),
    startCpuMs: median((row) => row.startCpuMs),
    restMiB: median((row) => row.restMiB),
    usedMiB: median((row) => row.usedMiB),
    longestWaitMs: median((row) => row.longestWaitMs),
    slowestFirst: rows.find(({ slowestFirst }) => slowestFirst.cpuMs === slowest)?.slowestFirst ?? {
      operation: '',
      cpuMs: Number.NaN,
    },
  };
}
