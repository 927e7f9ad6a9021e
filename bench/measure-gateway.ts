import { type Comparison, compare, type LoadSettings } from './compare.ts';
import { type Answers, prepareGateways } from './gateway-peers.ts';

/** How does the gateway compare with a bare proxy, and with another gateway? */
export async function measureGateway(
  name: string,
  answers: Answers,
  settings: LoadSettings,
  interruption: AbortSignal,
): Promise<Comparison> {
  await using started = new AsyncDisposableStack();
  process.stderr.write(`${name}: preparing an upstream and three gateways\n`);
  const gateways = await prepareGateways(started, answers);
  const presetd = await gateways.presetd();
  const { baselineFolder } = settings;
  const others = {
    bare: await gateways.bare(),
    ...(baselineFolder === undefined
      ? { portkey: await gateways.portkey() }
      : { baseline: await gateways.baseline(baselineFolder) }),
  };
  return await compare(name, presetd, others, settings, interruption);
}
