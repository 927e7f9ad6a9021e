import { type LoadSettings, median, type Peer } from './compare.ts';
import { prepareGateways } from './gateway-peers.ts';
import { applyLoad } from './load.ts';

/** Median latencies, and the median of what presetd added in each round. */
export interface LatencyRow {
  readonly name: string;
  readonly p50Ms: number;
  readonly bareP50Ms: number;
  readonly addedP50Ms: number;
}

/**
 * Measures what presetd adds to the latency of a request on an idle machine: one connection, one
 * request at a time.
 */
export async function measureGatewayLatency(
  name: string,
  settings: LoadSettings,
  interruption: AbortSignal,
): Promise<LatencyRow> {
  await using started = new AsyncDisposableStack();
  const log = (text: string) => process.stderr.write(`${name}: ${text}\n`);
  const p50Ms = async ({ server, requests }: Peer, durationSeconds: number): Promise<number> => {
    const load = { url: server.url, requests, connections: 1, until: { durationSeconds } };
    const { latenciesMicroseconds } = await applyLoad(load, interruption);
    return latenciesMicroseconds.percentile(50) / 1_000;
  };

  log('preparing an upstream and two gateways');
  const gateways = await prepareGateways(started, 'whole');
  const presetd = await gateways.presetd();
  const bare = await gateways.bare();
  for (const peer of [presetd, bare]) {
    log(`warming up ${peer.server.name} for ${settings.warmUpSeconds} s`);
    await p50Ms(peer, settings.warmUpSeconds);
  }
  const rounds: { readonly presetd: number; readonly bare: number }[] = [];
  for (let round = 1; round <= settings.rounds; round += 1) {
    const measured = {
      presetd: await p50Ms(presetd, settings.roundSeconds),
      bare: await p50Ms(bare, settings.roundSeconds),
    };
    log(
      `round ${round} of ${settings.rounds}: p50 ${measured.presetd.toFixed(3)} ms, bare ${measured.bare.toFixed(3)} ms`,
    );
    rounds.push(measured);
  }
  return {
    name,
    p50Ms: median(rounds.map((round) => round.presetd)),
    bareP50Ms: median(rounds.map((round) => round.bare)),
    addedP50Ms: median(rounds.map((round) => round.presetd - round.bare)),
  };
}
