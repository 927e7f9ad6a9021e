import { beforeAll, describe, expect, it } from 'vitest';
import { compatible, type GatewayServer, useUpstream } from '../support/gateway-server.ts';
import type { ScriptedUpstream } from '../support/scripted-upstream.ts';
import { upstreamError } from '../support/upstream-scripts.ts';
import { dialects } from '../support/wire/recordings.ts';

const name = 'x-presetd-overridden-fields';
const user = { role: 'user', content: 'Will it rain?' };
const pairs = dialects.flatMap((from) => dialects.map((to) => [from, to] as const));

describe('x-presetd-overridden-fields', () => {
  let upstream: ScriptedUpstream;
  let server: GatewayServer;
  useUpstream((started) => {
    ({ upstream, server } = started);
  });
  beforeAll(() =>
    server.capture(
      'weather',
      { model: 'vendor/model', max_tokens: 50, temperature: 0.5, system: 'Be terse.', messages: [user] },
      'messages',
    ),
  );

  const limits = {
    'chat-completions': 'max_completion_tokens',
    messages: 'max_tokens',
    responses: 'max_output_tokens',
  };

  it.each(dialects)('is sent with bodies, streams, errors and dry runs in %s', async (dialect) => {
    const system = { role: 'system', content: 'Rhyme.' };
    const conversation = { messages: [system, user], input: [system, user] };
    const request = { model: '@preset/weather', temperature: 0.5, [limits[dialect]]: 70, ...conversation };
    const responses = [
      await server.call(request, { dialect }),
      await server.call({ ...request, stream: true }, { dialect }),
    ];
    upstream.respondWith(upstreamError(401, 'Wrong key'));
    responses.push(await server.call(request, { dialect }));
    const dryRun = await server.call(request, { dialect, headers: { 'x-presetd-dry-run': 'true' } });
    for (const { headers } of [...responses, dryRun])
      expect(headers.get(name)).toBe('system_prompt, max_tokens');
    expect(dryRun.body.data.overridden_fields).toEqual(['system_prompt', 'max_tokens']);
  });

  it.each(pairs)(
    "names the system prompt of a %s call exactly if a %s upstream does not get the preset's",
    async (from, to) => {
      server.useConfigFile({ upstreams: [compatible('only', upstream, { dialects: [to] })] });
      const system = { role: 'system', content: 'Rhyme.' };
      const assistant = { role: 'assistant', content: 'Where?' };
      const list = from === 'responses' ? 'input' : 'messages';
      const cases = [
        { messages: [user, assistant, system, user], isOverridden: false },
        { messages: [user, assistant, user, system], isOverridden: false },
        { messages: [system, user, assistant, system, user], isOverridden: true },
      ];
      for (const { messages, isOverridden } of cases)
        for (const stream of [false, true]) {
          upstream.clear();
          const request = { model: '@preset/weather', [list]: messages, stream };
          const { status, headers } = await server.call(request, { dialect: from });
          const sent = upstream.requests[0]?.bytes.toString();
          expect([status, headers.get(name)]).toEqual([200, isOverridden ? 'system_prompt' : null]);
          expect([sent?.includes('Be terse.'), sent?.includes('Rhyme.')]).toEqual([!isOverridden, true]);
        }
    },
  );

  it("names the model if the request replaces the preset's", async () => {
    const other = await server.call({ model: 'vendor/other@preset/weather', messages: [user] });
    expect(other.headers.get(name)).toBe('model');
    const same = await server.call({ model: 'vendor/model@preset/weather', messages: [user] });
    expect(same.headers.get(name)).toBeNull();
  });

  it('is absent if nothing is overridden, and an empty list in a dry run', async () => {
    for (const model of ['@preset/weather', 'vendor/model']) {
      const dryRun = await server.call(
        { model, messages: [user] },
        { headers: { 'x-presetd-dry-run': 'true' } },
      );
      expect([dryRun.headers.get(name), dryRun.body.data.overridden_fields]).toEqual([null, []]);
    }
  });

  it('is percent-encoded and bounded for any tool names', async () => {
    const tools = Array.from({ length: 100 }, (_, index) => `wetter für ${index}`).map((each) => ({
      name: each,
      input_schema: {},
    }));
    await server.capture(
      'many',
      { model: 'vendor/model', max_tokens: 5, tools, messages: [user] },
      'messages',
    );
    const changed = tools.map((tool) => ({ ...tool, description: 'Other' }));
    const { headers } = await server.call(
      { model: '@preset/many', tools: changed, messages: [user] },
      { dialect: 'messages' },
    );
    const value = headers.get(name) ?? '';
    expect(value).toMatch(/^tools\.wetter%20f%C3%BCr%200, .* more$/);
    expect(value.length).toBeLessThan(1_100);
  });
});
