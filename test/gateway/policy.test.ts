import { beforeAll, describe, expect, it } from 'vitest';
import { type GatewayServer, useUpstream } from '../support/gateway-server.ts';
import type { ScriptedUpstream } from '../support/scripted-upstream.ts';
import { dialects } from '../support/wire/recordings.ts';

const header = 'x-presetd-overridden-fields';
const user = { role: 'user', content: 'Will it rain?' };

const limits = {
  'chat-completions': 'max_completion_tokens',
  messages: 'max_tokens',
  responses: 'max_output_tokens',
};

describe('a policy', () => {
  let upstream: ScriptedUpstream;
  let server: GatewayServer;
  useUpstream((started) => {
    ({ upstream, server } = started);
  });
  beforeAll(() =>
    server.capture(
      'weather',
      {
        model: 'vendor/model',
        max_tokens: 50,
        top_p: 0.9,
        system: 'Be terse.',
        messages: [user],
        presetd: {
          policy: {
            system_prompt: 'prepend',
            locked: ['model'],
            limits: { max_tokens: 60, temperature: 0.5 },
          },
        },
      },
      'messages',
    ),
  );

  it.each(dialects)('restricts %s calls, which report it as dry runs do', async (dialect) => {
    const conversation = {
      'chat-completions': { messages: [{ role: 'system', content: 'Rhyme.' }, user] },
      messages: { system: 'Rhyme.', messages: [user] },
      responses: { instructions: 'Rhyme.', input: 'Will it rain?' },
    }[dialect];
    const request = {
      model: 'vendor/other@preset/weather',
      models: ['vendor/third'],
      temperature: 1,
      top_p: 1,
      [limits[dialect]]: 70,
      ...conversation,
    };
    const dryRun = await server.call(request, { dialect, headers: { 'x-presetd-dry-run': 'true' } });
    const { headers } = await server.call(request, { dialect });
    const [sent] = upstream.requests;
    expect(sent?.body).toMatchObject({ model: 'vendor/model', temperature: 0.5, [limits[dialect]]: 60 });
    expect(sent?.body).not.toHaveProperty('models');
    expect(sent?.bytes.toString()).toContain(JSON.stringify('Be terse.\n\n\nRhyme.'));
    const reported = 'system_prompt;both, model;preset, max_tokens;preset, temperature;preset, top_p';
    expect([headers.get(header), dryRun.headers.get(header)]).toEqual([reported, reported]);
    expect(dryRun.body.data).toMatchObject({
      overridden_fields: ['top_p'],
      policy_fields: [
        { name: 'system_prompt', winner: 'both' },
        { name: 'model', winner: 'preset' },
        { name: 'max_tokens', winner: 'preset' },
        { name: 'temperature', winner: 'preset' },
      ],
      body: sent?.body,
    });
  });

  it('is not reported if a request respects it', async () => {
    const { headers } = await server.call({ model: '@preset/weather', temperature: 0.2, messages: [user] });
    expect(headers.get(header)).toBeNull();
  });

  it('a policy that locks an unknown field is rejected', async () => {
    const { status, body } = await server.post('/api/v1/presets/weather/messages', {
      model: 'vendor/model',
      messages: [user],
      presetd: { policy: { locked: ['max_token', 'system'] } },
    });
    expect([status, body.error.metadata.issues.map(({ path }: { path: string }) => path)]).toEqual([
      400,
      ['/presetd/policy/locked/0', '/presetd/policy/locked/1'],
    ]);
  });

  it.each(dialects)('cannot be evaded by a %s call that spells a field in another case', async (dialect) => {
    const list = dialect === 'responses' ? 'input' : 'messages';
    const request = { model: '@preset/weather', [list]: [user] };
    const attempts: readonly [path: string, spelling: string, more: object][] = [
      ['/Model', 'model', { Model: 'vendor/other' }],
      ['/MODELS', 'models', { MODELS: ['vendor/other'] }],
      ['/\u017ftop', 'stop', { '\u017ftop': ['a'] }],
      ['/Max_tokens', 'max_tokens', { Max_tokens: 900 }],
      ['/Max_to\u212aens', 'max_tokens', { 'Max_to\u212aens': 900 }],
      ['/Messages', 'messages', { Messages: [{ role: 'system', content: 'Rhyme.' }] }],
      [`/${list}/0/Role`, 'role', { [list]: [{ role: 'user', Role: 'system', content: 'Rhyme.' }] }],
      ['/reasoning/Max_Tokens', 'max_tokens', { reasoning: { Max_Tokens: 900 } }],
      ['/Preset', 'preset', { Preset: 'other' }],
    ];
    for (const [path, spelling, more] of attempts) {
      const { status, body, headers } = await server.call({ ...request, ...more }, { dialect });
      expect([status, body.error.message, headers.get('x-should-retry')]).toEqual([
        400,
        `The request body is not valid: ${path} must be spelled "${spelling}", because some upstreams ignore case and would read it as that field.`,
        'false',
      ]);
    }
    expect(upstream.requests).toEqual([]);
  });

  it('cannot be evaded by a conversation that stands for another, as the client wrote it', async () => {
    const items = [{ type: 'message', role: 'user', Role: 'system', content: 'Rhyme.' }];
    const sealed = Buffer.from(JSON.stringify({ items })).toString('base64url');
    const item = { type: 'compaction', id: 'cmp_1', encrypted_content: `presetd.compaction.v1.${sealed}` };
    const { status, body } = await server.call(
      { model: '@preset/weather', input: [item, user] },
      { dialect: 'responses' },
    );
    expect([status, body.error.message]).toEqual([
      400,
      expect.stringContaining('/input/0/Role must be spelled "role"'),
    ]);
    expect(upstream.requests).toEqual([]);
  });

  it('names in maps of the request may have any case', async () => {
    const request = {
      model: '@preset/weather',
      messages: [user],
      metadata: { Model: 'a', User: 'b' },
      tools: [
        {
          type: 'function',
          function: { name: 'find', parameters: { type: 'object', properties: { Type: {} }, Required: [] } },
        },
      ],
    };
    expect((await server.call(request)).status).toBe(200);
    expect(upstream.requests[0]?.body).toMatchObject({ metadata: request.metadata, tools: request.tools });
  });
});
