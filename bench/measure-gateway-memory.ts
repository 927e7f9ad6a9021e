import type { LoadSettings } from './compare.ts';
import { prepareGateways } from './gateway-peers.ts';
import { applyLoad, type Load } from './load.ts';

/** Resident memory over the course of a run. */
export interface MemoryRow {
  readonly name: string;
  readonly requestCount: number;
  /** Resident memory after the warm-up, and then after each tenth of the requests. */
  readonly residentMiB: readonly number[];
}

/** Enough samples to compare two halves of the run. */
const steps = 10;
/** Metrics are served only to clients with a token. */
const metricsToken = 'token-of-the-benchmarks';

/**
 * Measures whether memory grows with the number of requests served, as reported by presetd's
 * metrics.
 */
export async function measureGatewayMemory(
  name: string,
  requestCount: number,
  settings: LoadSettings,
  interruption: AbortSignal,
): Promise<MemoryRow> {
  await using started = new AsyncDisposableStack();
  const log = (text: string) => process.stderr.write(`${name}: ${text}\n`);
  log('preparing an upstream and presetd');
  const gateways = await prepareGateways(started, 'whole');
  const { server, requests } = await gateways.presetd({ PRESETD_METRICS_TOKEN: metricsToken });
  const load = (until: Load['until']) =>
    applyLoad({ url: server.url, requests, connections: settings.connections, until }, interruption);

  log(`warming up presetd for ${settings.warmUpSeconds} s`);
  await load({ durationSeconds: settings.warmUpSeconds });
  const residentMiB = [await readResidentMiB(server.url)];
  for (let step = 1; step <= steps; step += 1) {
    await load({ requestCount: Math.ceil(requestCount / steps) });
    const resident = await readResidentMiB(server.url);
    log(`part ${step} of ${steps} of ${requestCount} requests: ${resident.toFixed(1)} MiB`);
    residentMiB.push(resident);
  }
  return { name, requestCount, residentMiB };
}

async function readResidentMiB(url: string): Promise<number> {
  const headers = { authorization: `Bearer ${metricsToken}` };
  const text = await (await fetch(`${url}/metrics`, { headers })).text();
  const bytes = Number(/^process_resident_memory_bytes (\d+)$/m.exec(text)?.[1]);
  if (Number.isNaN(bytes)) throw new Error(`the metrics lack process_resident_memory_bytes: ${text}`);
  return bytes / 1024 ** 2;
}
