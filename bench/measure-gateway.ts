import { createHistogram } from 'node:perf_hooks';
import { type Answers, type GatewayPeer, prepareGateways } from './gateway-peers.ts';
import { applyLoad, type Round } from './load.ts';
import { type LoadSettings, median, whole } from './measure.ts';

export interface GatewayRow {
  readonly name: string;
  readonly rps: number;
  readonly bareRps: number;
  readonly portkeyRps: number;
  readonly ratio: number;
  readonly portkeyRatio: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** How many requests a second, beside a bare proxy and beside another gateway? Rounds take turns, as everywhere. */
export async function measureGateway(
  name: string,
  answers: Answers,
  settings: LoadSettings,
  interruption: AbortSignal,
): Promise<GatewayRow> {
  await using started = new AsyncDisposableStack();
  const note = (text: string) => process.stderr.write(`${name}: ${text}\n`);
  const load = ({ server, requests }: GatewayPeer, durationSeconds: number): Promise<Round> =>
    applyLoad(
      { url: server.url, requests, connections: settings.connections, until: { durationSeconds } },
      interruption,
    );

  note('preparing an upstream and three gateways');
  const gateways = await prepareGateways(started, answers);
  const presetd = await gateways.presetd();
  const bare = await gateways.bare();
  const portkey = await gateways.portkey();
  for (const peer of [presetd, bare, portkey]) {
    note(`warming up ${peer.server.name} for ${settings.warmUpSeconds} s`);
    await load(peer, settings.warmUpSeconds);
  }
  const rounds: { readonly presetd: Round; readonly bare: Round; readonly portkey: Round }[] = [];
  for (let round = 1; round <= settings.rounds; round += 1) {
    const done = {
      presetd: await load(presetd, settings.roundSeconds),
      bare: await load(bare, settings.roundSeconds),
      portkey: await load(portkey, settings.roundSeconds),
    };
    note(
      `round ${round} of ${settings.rounds}: ${whole(done.presetd.rps)} requests/s, bare ${whole(done.bare.rps)}, portkey ${whole(done.portkey.rps)}`,
    );
    rounds.push(done);
  }

  const latencies = createHistogram();
  for (const round of rounds) latencies.add(round.presetd.latenciesMicroseconds);
  return {
    name,
    rps: median(rounds.map((round) => round.presetd.rps)),
    bareRps: median(rounds.map((round) => round.bare.rps)),
    portkeyRps: median(rounds.map((round) => round.portkey.rps)),
    ratio: median(rounds.map((round) => round.presetd.rps / round.bare.rps)),
    portkeyRatio: median(rounds.map((round) => round.presetd.rps / round.portkey.rps)),
    p50Ms: latencies.percentile(50) / 1_000,
    p99Ms: latencies.percentile(99) / 1_000,
  };
}
