import type { Dialect } from '../../src/core/presets/preset.ts';
import { type GatewayServer, startWithUpstream } from '../support/gateway-server.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts';
import { dialects } from '../support/wire/recordings.ts';

export interface GatewayWithPresets {
  readonly server: GatewayServer;
  readonly upstream: ScriptedUpstream;
  stop(): Promise<void>;
}

/** A server with one equivalent preset per dialect: `@preset/of-chat-completions` and so on. */
export async function startGatewayWithPresets(): Promise<GatewayWithPresets> {
  const upstream = await startScriptedUpstream();
  const server = await startWithUpstream(upstream);
  for (const dialect of dialects) await server.capture(slugOf(dialect), captured[dialect], dialect);
  return {
    server,
    upstream,
    async stop() {
      await upstream.stop();
      await server.stop();
    },
  };
}

/** Model names of the presets. Each preset has to work in every dialect. */
export const presetModels: readonly string[] = dialects.map((dialect) => `@preset/${slugOf(dialect)}`);

const model = 'vendor/model';
const temperature = 0.2;
const systemPrompt = 'You are terse.';
const description = 'Looks up the weather';
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
// Explicit, because the dialects have different defaults.
const strict = false;
const user = { role: 'user', content: 'An example' };

const captured: Readonly<Record<Dialect, Readonly<Record<string, unknown>>>> = {
  'chat-completions': {
    model,
    temperature,
    max_completion_tokens: 300,
    tools: [{ type: 'function', function: { name: 'get_weather', description, parameters, strict } }],
    messages: [{ role: 'system', content: systemPrompt }, user],
  },
  messages: {
    model,
    temperature,
    max_tokens: 300,
    tools: [{ name: 'get_weather', description, input_schema: parameters, strict }],
    system: systemPrompt,
    messages: [user],
  },
  responses: {
    model,
    temperature,
    max_output_tokens: 300,
    tools: [{ type: 'function', name: 'get_weather', description, parameters, strict }],
    instructions: systemPrompt,
    input: [user],
  },
};

/** The contribution of each preset to a request, by the dialect of the request. */
export const appliedPreset: Readonly<Record<Dialect, Readonly<Record<string, unknown>>>> = {
  'chat-completions': {
    model,
    temperature,
    max_completion_tokens: 300,
    tools: [{ type: 'function', function: { name: 'get_weather', description, parameters, strict } }],
  },
  messages: {
    model,
    temperature,
    system: systemPrompt,
    tools: [{ name: 'get_weather', description, input_schema: parameters, strict }],
  },
  responses: {
    model,
    temperature,
    max_output_tokens: 300,
    instructions: systemPrompt,
    tools: [{ type: 'function', name: 'get_weather', description, parameters, strict }],
  },
};

export const systemMessage = { role: 'system', content: systemPrompt };

function slugOf(dialect: Dialect): string {
  return `of-${dialect}`;
}
