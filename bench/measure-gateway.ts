import { type Comparison, compare, type LoadSettings } from './compare.ts';
import { prepareGateways, type ResponseMode } from './gateway-peers.ts';

/** Compares the gateway with a bare proxy and with another gateway. */
export async function measureGateway(
  name: string,
  mode: ResponseMode,
  settings: LoadSettings,
  interruption: AbortSignal,
): Promise<Comparison> {
  await using started = new AsyncDisposableStack();
  process.stderr.write(`${name}: preparing an upstream and three gateways\n`);
  const gateways = await prepareGateways(started, mode);
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
