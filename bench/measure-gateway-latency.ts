import { type LoadSettings, median, type Peer } from './compare.ts';
import { prepareGateways } from './gateway-peers.ts';
import { applyLoad } from './load.ts';

export interface LatencyRow {
  readonly name: string;
  readonly p50Ms: number;
  readonly bareP50Ms: number;
  readonly addedP50Ms: number;
}

/** What does presetd add to a request that has the machine to itself? One connection, one request at a time. */
export async function measureGatewayLatency(
  name: string,
  settings: LoadSettings,
  interruption: AbortSignal,
): Promise<LatencyRow> {
  await using started = new AsyncDisposableStack();
  const note = (text: string) => process.stderr.write(`${name}: ${text}\n`);
  const p50Ms = async ({ server, requests }: Peer, durationSeconds: number): Promise<number> => {
    const load = { url: server.url, requests, connections: 1, until: { durationSeconds } };
    const { latenciesMicroseconds } = await applyLoad(load, interruption);
    return latenciesMicroseconds.percentile(50) / 1_000;
  };

  note('preparing an upstream and two gateways');
  const gateways = await prepareGateways(started, 'whole');
  const presetd = await gateways.presetd();
  const bare = await gateways.bare();
  for (const peer of [presetd, bare]) {
    note(`warming up ${peer.server.name} for ${settings.warmUpSeconds} s`);
    await p50Ms(peer, settings.warmUpSeconds);
  }
  const rounds: { readonly presetd: number; readonly bare: number }[] = [];
  for (let round = 1; round <= settings.rounds; round += 1) {
    const done = {
      presetd: await p50Ms(presetd, settings.roundSeconds),
      bare: await p50Ms(bare, settings.roundSeconds),
    };
    note(
      `round ${round} of ${settings.rounds}: p50 ${done.presetd.toFixed(3)} ms, bare ${done.bare.toFixed(3)} ms`,
    );
    rounds.push(done);
  }
  return {
    name,
    p50Ms: median(rounds.map((round) => round.presetd)),
    bareP50Ms: median(rounds.map((round) => round.bare)),
    addedP50Ms: median(rounds.map((round) => round.presetd - round.bare)),
  };
}
