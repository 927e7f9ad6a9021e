import type { Dialect } from '../../src/core/presets/preset.ts';
import { compatible, type GatewayServer, startUpstreams, startWithFile } from '../support/gateway-server.ts';
import type { ScriptedUpstream } from '../support/scripted-upstream.ts';
import { playToolLoop, type ToolLoop } from '../support/tool-loop.ts';
import { dialects } from '../support/wire/recordings.ts';

/** A server with an upstream for each dialect, which supports no other. */
export interface DialectUpstreams {
  readonly server: GatewayServer;
  readonly upstreams: Readonly<Record<Dialect, ScriptedUpstream>>;
  /** Forgets requests, and lets all upstreams play this loop. */
  play(loop: ToolLoop): void;
  stop(): Promise<void>;
}

/** The name of a preset whose model is at the upstream of this dialect. */
export const presetOn = (dialect: Dialect) => `@preset/on-${dialect}`;

/** The same for clients that do not send reasoning back. */
export const lenientPresetOn = (dialect: Dialect) => `@preset/lenient-on-${dialect}`;

/** Starts the upstreams, and a server with both presets for each. */
export async function startDialectUpstreams(): Promise<DialectUpstreams> {
  const started = await startUpstreams(dialects.length);
  const upstreams = Object.fromEntries(
    dialects.map((dialect, index) => [dialect, started[index]]),
  ) as Readonly<Record<Dialect, ScriptedUpstream>>;
  const server = await startWithFile({
    upstreams: dialects.map((dialect) =>
      compatible(dialect, upstreams[dialect], {
        dialects: [dialect],
        models: [`${dialect}/*`],
        strip_prefix: `${dialect}/`,
      }),
    ),
  });
  const messages = [{ role: 'system', content: 'Be brief.' }];
  for (const dialect of dialects) {
    await server.capture(`on-${dialect}`, { model: `${dialect}/model`, messages });
    await server.capture(`lenient-on-${dialect}`, { model: `${dialect}/lenient`, messages });
  }
  return {
    server,
    upstreams,
    play(loop) {
      for (const upstream of started) {
        upstream.clear();
        upstream.respondAlways(playToolLoop(loop));
      }
    },
    async stop() {
      await Promise.all(started.map((upstream) => upstream.stop()));
      await server.stop();
    },
  };
}
