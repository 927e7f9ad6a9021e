import type { LoadSettings } from './compare.ts';
import { prepareGateways } from './gateway-peers.ts';
import { applyLoad, type Load } from './load.ts';

export interface MemoryRow {
  readonly name: string;
  readonly requestCount: number;
  /** After the warm-up, and then after every tenth of the requests. */
  readonly residentMiB: readonly number[];
}

const steps = 10;
const metricsToken = 'token-of-the-benchmarks';

/** Does the process grow with the requests that it has answered? It is asked by its own metrics. */
export async function measureGatewayMemory(
  name: string,
  requestCount: number,
  settings: LoadSettings,
  interruption: AbortSignal,
): Promise<MemoryRow> {
  await using started = new AsyncDisposableStack();
  const note = (text: string) => process.stderr.write(`${name}: ${text}\n`);
  note('preparing an upstream and presetd');
  const gateways = await prepareGateways(started, 'whole');
  const { server, requests } = await gateways.presetd({ PRESETD_METRICS_TOKEN: metricsToken });
  const load = (until: Load['until']) =>
    applyLoad({ url: server.url, requests, connections: settings.connections, until }, interruption);

  note(`warming up presetd for ${settings.warmUpSeconds} s`);
  await load({ durationSeconds: settings.warmUpSeconds });
  const residentMiB = [await residentMiBOf(server.url)];
  for (let step = 1; step <= steps; step += 1) {
    await load({ requestCount: Math.ceil(requestCount / steps) });
    const resident = await residentMiBOf(server.url);
    note(`part ${step} of ${steps} of ${requestCount} requests: ${resident.toFixed(1)} MiB`);
    residentMiB.push(resident);
  }
  return { name, requestCount, residentMiB };
}

async function residentMiBOf(url: string): Promise<number> {
  const headers = { authorization: `Bearer ${metricsToken}` };
  const text = await (await fetch(`${url}/metrics`, { headers })).text();
  const bytes = Number(/^process_resident_memory_bytes (\d+)$/m.exec(text)?.[1]);
  if (Number.isNaN(bytes)) throw new Error(`presetd does not tell how much memory it takes: ${text}`);
  return bytes / 1024 ** 2;
}
