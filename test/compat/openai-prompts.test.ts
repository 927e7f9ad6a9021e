import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import OpenAI from 'openai';
import { beforeAll, describe, expect, it } from 'vitest';
import { createWorkingDirectory } from '../support/command.ts';
import { type GatewayServer, useUpstream } from '../support/gateway-server.ts';
import { runCommand } from '../support/run-command.ts';
import type { ScriptedUpstream } from '../support/scripted-upstream.ts';
import { apiKey } from '../support/server.ts';
import { completionText } from '../support/wire/recordings.ts';

const id = 'pmpt_68a1b2c3d4';
const entry = (version: string, text: string) => ({
  id,
  version,
  name: 'Support reply',
  model: 'gpt-5',
  temperature: 0.2,
  input: [
    { role: 'developer', content: [{ type: 'input_text', text }] },
    { role: 'user', content: [{ type: 'input_text', text: 'I am {{customer}}.' }] },
  ],
});

describe('prompts imported from OpenAI', () => {
  let upstream: ScriptedUpstream;
  let server: GatewayServer;
  let openai: OpenAI;
  useUpstream((started) => {
    ({ upstream, server } = started);
  });
  const importPrompts = async (content: unknown, ...options: readonly string[]) => {
    const directory = createWorkingDirectory();
    writeFileSync(join(directory.path, 'prompts.json'), JSON.stringify(content));
    const environment = { PRESETD_URL: server.url, PRESETD_API_KEY: apiKey };
    try {
      return await runCommand(['import', 'openai', 'prompts.json', ...options], directory.path, environment);
    } finally {
      directory.remove();
    }
  };
  beforeAll(async () => {
    openai = new OpenAI({ apiKey, baseURL: `${server.url}/api/v1`, maxRetries: 0 });
    const { code, stdout, stderr } = await importPrompts([
      entry('3', 'Answer for {{shop}}, kindly.'),
      entry('2', 'Answer for {{shop}}.'),
    ]);
    expect({ code, stderr, stdout }).toEqual({
      code: 0,
      stderr: '',
      stdout: `PROMPT           PRESET         VERSIONS    RESULT\n${id}  support-reply  3 versions  imported\n`,
    });
  });

  const reference = { id, version: '2', variables: { shop: 'Acme', customer: 'Jane {{x}}' } };
  const expected = {
    model: 'gpt-5',
    temperature: 0.2,
    instructions: 'Answer for Acme.',
    input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'I am Jane {{x}}.' }] }],
  };

  it('are called by the unchanged call of the SDK', async () => {
    const response = await openai.responses.create({ prompt: reference });
    expect(response.output_text).toBe(completionText);
    expect(upstream.requests.map(({ body }) => body)).toEqual([expected]);
  });

  it('are called by the unchanged call of the SDK, as a stream', async () => {
    let text = '';
    for await (const event of await openai.responses.create({ prompt: reference, stream: true }))
      if (event.type === 'response.output_text.delta') text += event.delta;
    expect(text).toBe(completionText);
    expect(upstream.requests.map(({ body }) => body)).toEqual([{ ...expected, stream: true }]);
  });

  it('use the last version without a number, and add the input of the call', async () => {
    const { version: _version, ...latest } = reference;
    await openai.responses.create({ prompt: latest, input: 'Where is my parcel?' });
    expect(upstream.requests[0]?.body).toMatchObject({
      instructions: 'Answer for Acme, kindly.',
      input: [...expected.input, { role: 'user', content: 'Where is my parcel?' }],
    });
  });

  it('are imported once, and later versions are added', async () => {
    const prompts = [entry('2', 'Answer for {{shop}}.'), entry('4', 'Answer for {{shop}}: {{topic}}')];
    expect((await importPrompts(prompts.slice(0, 1))).stdout).toContain('already imported');
    expect((await importPrompts(prompts, '--dry-run')).stdout).toContain('would be imported');
    expect((await importPrompts(prompts)).stdout).toContain('updated');
    const { body } = await server.get('/api/v1/presets/support-reply/versions', { key: apiKey });
    expect(body.data.map(({ presetd }: { presetd: { note: string } }) => presetd.note)).toEqual([
      `Not in the file; filled with a later version of ${id}.`,
      `Version 2 of ${id} at OpenAI.`,
      `Version 3 of ${id} at OpenAI.`,
      `Version 4 of ${id} at OpenAI.`,
    ]);
  });

  it('a name that another preset has is a conflict, and nothing is imported', async () => {
    const { code, stderr } = await importPrompts({ ...entry('1', 'x'), id: 'pmpt_other' });
    expect(code).toBe(5);
    expect(stderr).toContain('there is a preset of that name');
    expect((await server.get('/api/v1/presets/pmpt_other', { key: apiKey })).status).toBe(404);
  });

  it('an import that fails midway can be continued', async () => {
    const prompt = (version: string, text: string) => ({ ...entry(version, text), id: 'pmpt_y', name: 'Y' });
    expect((await importPrompts([prompt('1', 'a'), prompt('2', '{{#open}}')])).code).not.toBe(0);
    const { code, stdout } = await importPrompts([prompt('1', 'a'), prompt('2', 'b')]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('updated')]);
  });

  it('a prompt that the server rejects is named', async () => {
    const { code, stderr } = await importPrompts({ ...entry('1', '{{#open}}'), id: 'pmpt_x', name: 'X' });
    expect(code).not.toBe(0);
    expect(stderr).toContain('Version 1 of pmpt_x was rejected');
  });
});
