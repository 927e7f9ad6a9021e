import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import OpenAI from 'openai';
import { beforeAll, describe, expect, it } from 'vitest';
import { createWorkingDirectory } from '../support/command.ts';
import { codeBlocksOf } from '../support/documents.ts';
import { type GatewayServer, useUpstream } from '../support/gateway-server.ts';
import { describeInPython, python, pythonTimeoutMs } from '../support/python.ts';
import { runCommand } from '../support/run-command.ts';
import type { ScriptedUpstream } from '../support/scripted-upstream.ts';
import { apiKey } from '../support/server.ts';
import { execFileInTest } from '../support/test-scope.ts';
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
  const importPrompts = (content: unknown, ...options: readonly string[]) =>
    importText(JSON.stringify(content), ...options);
  const importText = async (text: string, ...options: readonly string[]) => {
    const directory = createWorkingDirectory();
    writeFileSync(join(directory.path, 'prompts.json'), text);
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

  it('keep their name', async () => {
    const { body } = await server.get(`/api/v1/presets/${id}`, { key: apiKey });
    expect(body.data).toMatchObject({ slug: 'support-reply', name: 'Support reply' });
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

  it('a prompt that the server rejects is named, with its place in the file, and ends the import', async () => {
    const prompts = ['{{shop}}', '{{#open}}', '{{shop}}'].map((text, index) => ({
      ...entry('1', text),
      id: `pmpt_x${index}`,
      name: `X${index}`,
    }));
    const { code, stdout, stderr } = await importPrompts(prompts);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/Version 1 of pmpt_x1 was rejected: .*: \/input\/0 has an invalid tag/);
    expect(stdout).toBe(
      [
        'PROMPT   PRESET  VERSIONS   RESULT',
        'pmpt_x0  x0      1 version  imported',
        'pmpt_x1  x1      1 version  failed',
        'pmpt_x2  x2      1 version  not imported',
        '',
      ].join('\n'),
    );
  });

  it.each([
    ['JavaScript', "const response = await client.responses.create({\n  model: 'gpt-5',\n});\n"],
    ['Python', 'response = client.responses.create(\n  model="gpt-5",\n)\n'],
  ])('a file with %s gets advice', async (_language, text) => {
    const { code, stderr } = await importText(text);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(
      /^prompts\.json is not valid JSON.*turn it into JSON first: see "Turn code into JSON" in docs\/openai-prompts\.md\.\n$/,
    );
  });

  it('an image in place of a variable is sent as an image', async () => {
    const content = [{ type: 'input_image', image_url: '{{photo}}' }];
    const prompt = { id: 'pmpt_photo', model: 'gpt-5', input: [{ role: 'user', content }] };
    const { code, stderr } = await importPrompts(prompt);
    expect([code, stderr]).toEqual([
      0,
      'Warning: pmpt_photo has an image or file in {{photo}}: pass it as an input_image or input_file item.\n',
    ]);
    const photo = { type: 'input_image', image_url: 'https://example.com/a.jpg', detail: 'auto' } as const;
    await openai.responses.create({ prompt: { id: 'pmpt_photo', variables: { photo } } });
    expect(upstream.requests[0]?.body.input).toMatchObject([{ role: 'user', content: [photo] }]);
  });
});

describe('docs/openai-prompts.md', () => {
  let upstream: ScriptedUpstream;
  let server: GatewayServer;
  useUpstream((started) => {
    ({ upstream, server } = started);
  });
  const blocks = codeBlocksOf('docs/openai-prompts.md');
  const block = (language: string, part: string) =>
    blocks.find((each) => each.language === language && each.text.includes(part))?.text ?? '';
  const request = { model: 'gpt-5', input: [{ role: 'developer' }], temperature: 0.2 };

  it('turns JavaScript into JSON', async () => {
    const { stdout } = await execFileInTest(process.execPath, ['-e', block('js', 'JSON.stringify')]);
    expect(JSON.parse(stdout)).toMatchObject(request);
  });

  describeInPython('in Python', () => {
    it(
      'turns code into JSON',
      async () => {
        const { stdout } = await python(['-c', block('python', 'json.dumps')]);
        expect(JSON.parse(stdout)).toMatchObject(request);
      },
      pythonTimeoutMs,
    );

    it(
      'imports the prompt and calls it with the unmodified SDK',
      async () => {
        const directory = createWorkingDirectory();
        const [, file = ''] = /<<'JSON'\n(.*)^JSON$/ms.exec(block('sh', 'prompts.json')) ?? [];
        writeFileSync(join(directory.path, 'prompts.json'), file);
        const [, ...args] = block('sh', 'presetd import').trim().split(' ');
        const environment = { PRESETD_URL: server.url, PRESETD_API_KEY: apiKey };
        const { code } = await runCommand(args, directory.path, environment);
        directory.remove();
        expect(code).toBe(0);
        const call = block('python', 'client.responses.create').replace('http://127.0.0.1:7778', server.url);
        const { stdout } = await python(['-c', call], { PRESETD_API_KEY: apiKey });
        expect(stdout.trimEnd()).toBe(completionText);
        expect(upstream.requests.map(({ body }) => body)).toEqual([
          {
            model: 'gpt-5',
            temperature: 0.2,
            instructions: 'You answer for Acme. Be brief and kind.',
            input: [
              {
                type: 'message',
                role: 'user',
                content: [{ type: 'input_text', text: 'The customer is Jane Doe.' }],
              },
            ],
          },
        ]);
      },
      pythonTimeoutMs,
    );
  });
});
