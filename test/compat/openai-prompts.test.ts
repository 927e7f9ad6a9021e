import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import OpenAI from 'openai';
import { beforeAll, describe, expect, it } from 'vitest';
import { createWorkingDirectory } from '../support/command.ts';
import { codeBlocksOf } from '../support/documents.ts';
import { type GatewayServer, useUpstream } from '../support/gateway-server.ts';
import { describeInPython, python, pythonTimeoutMs } from '../support/python.ts';
import { runCommand } from '../support/run-command.ts';
import type { ScriptedUpstream } from '../support/scripted-upstream.ts';
import { apiKey } from '../support/server.ts';
import { startStubServer } from '../support/stub-server.ts';
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
  const importText = (text: string, ...options: readonly string[]) =>
    importTextAt(server.url, text, ...options);
  const importTextAt = async (url: string, text: string, ...options: readonly string[]) => {
    const directory = createWorkingDirectory();
    writeFileSync(join(directory.path, 'prompts.json'), text);
    const environment = { PRESETD_URL: url, PRESETD_API_KEY: apiKey };
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
      stdout: `PROMPT           PRESET         VERSIONS    LIVE  RESULT\n${id}  support-reply  3 versions  3     imported\n`,
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

  it('are called by unchanged SDK code', async () => {
    const response = await openai.responses.create({ prompt: reference });
    expect(response.output_text).toBe(completionText);
    expect(upstream.requests.map(({ body }) => body)).toEqual([expected]);
  });

  it('are called by unchanged SDK code, as a stream', async () => {
    let text = '';
    for await (const event of await openai.responses.create({ prompt: reference, stream: true }))
      if (event.type === 'response.output_text.delta') text += event.delta;
    expect(text).toBe(completionText);
    expect(upstream.requests.map(({ body }) => body)).toEqual([{ ...expected, stream: true }]);
  });

  it('use the latest version if the call has no version, and add the input of the call', async () => {
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
    expect((await importPrompts(prompts, '--dry-run')).stdout).toMatch(/4 \(was 3\) +would be updated/);
    expect((await importPrompts(prompts)).stdout).toMatch(/4 \(was 3\) +updated/);
    const { body } = await server.get('/api/v1/presets/support-reply/versions', { key: apiKey });
    expect(body.data.map(({ presetd }: { presetd: { note: string } }) => presetd.note)).toEqual([
      `Not in the file; filled with a later version of ${id}.`,
      `Version 2 of ${id} at OpenAI.`,
      `Version 3 of ${id} at OpenAI.`,
      `Version 4 of ${id} at OpenAI.`,
    ]);
  });

  const plain = (id: string, text: string, version = '1') => ({ id, version, model: 'gpt-5', input: text });
  const capture = (slug: string, body: object) =>
    server.post(`/api/v1/presets/${slug}/responses`, body, { key: apiKey });
  const versionsOf = async (slug: string) =>
    (await server.get(`/api/v1/presets/${slug}/versions`, { key: apiKey })).body.data;

  it('a version with other content is reported and skipped, and the other prompts are imported', async () => {
    const { temperature, ...misspelled } = { ...plain('pmpt_b6', 'x'), temperature: 0.2, tempreature: 0.2 };
    expect((await importPrompts(misspelled)).code).toBe(0);
    const prompts = [{ ...plain('pmpt_b6', 'x'), temperature }, plain('pmpt_b7', 'y')];
    for (const options of [['--dry-run'], []]) {
      const { code, stdout, stderr } = await importPrompts(prompts, ...options);
      expect(code).toBe(5);
      expect(stderr).toBe(
        'Differs: version 1 of pmpt_b6 has other content in presetd, so this prompt is skipped. ' +
          'To add the content of the file, give it version 2 there; see "If a version differs" in docs/openai-prompts.md.\n',
      );
      expect(stdout).toMatch(/^pmpt_b6 .* 1 +differs$/m);
      expect(stdout).toMatch(
        options.length === 0 ? /^pmpt_b7 .* imported$/m : /^pmpt_b7 .* would be imported$/m,
      );
    }
    expect(await versionsOf('pmpt_b6')).toHaveLength(1);
    const asNext = await importPrompts({ ...prompts[0], version: '2' });
    expect([asNext.code, asNext.stdout]).toEqual([0, expect.stringMatching(/2 \(was 1\) +updated/)]);
  });

  it('a version that was saved here is not mistaken for one from the file', async () => {
    await importPrompts(plain('pmpt_own', 'a'));
    await capture('pmpt_own', { model: 'gpt-5', instructions: 'Mine.' });
    const same = [plain('pmpt_own', 'a')];
    expect((await importPrompts(same)).stdout).toMatch(/ 2 +already imported$/m);
    const { code, stderr } = await importPrompts([
      ...same,
      plain('pmpt_own', 'b', '2'),
      plain('pmpt_own', 'c', '3'),
    ]);
    expect([code, stderr]).toEqual([5, expect.stringContaining('Differs: version 2 of pmpt_own')]);
    expect(await versionsOf('pmpt_own')).toHaveLength(2);
  });

  it('a version that was filled in is not compared, but one that replaces it is', async () => {
    await importPrompts(plain('pmpt_gap', 'b', '2'));
    expect((await importPrompts(plain('pmpt_gap', 'b', '2'))).stdout).toContain('already imported');
    const later = [plain('pmpt_gap', 'b', '2'), plain('pmpt_gap', 'a', '1')];
    expect((await importPrompts(later)).stderr).toContain('Differs: version 1 of pmpt_gap');
  });

  it('messages of chat completions are imported, and imported once', async () => {
    const prompt = {
      id: 'pmpt_chat',
      model: 'gpt-5',
      messages: [
        { role: 'system', content: 'Be {{mood}}.' },
        { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      ],
    };
    const { code, stderr } = await importPrompts(prompt);
    expect([code, stderr]).toEqual([0, '']);
    expect((await importPrompts(prompt)).stdout).toContain('already imported');
    await openai.responses.create({ prompt: { id: 'pmpt_chat', variables: { mood: 'kind' } } });
    expect(upstream.requests[0]?.body).toMatchObject({
      instructions: 'Be kind.',
      input: [{ role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }],
    });
  });

  it('prompts with the same name keep it, and the later ones have their id as slug', async () => {
    const prompts = ['pmpt_t1', 'pmpt_t2'].map((id) => ({ ...plain(id, 'x'), name: 'Twin' }));
    const dryRun = await importPrompts(prompts, '--dry-run');
    const result = await importPrompts(prompts);
    for (const { code, stderr, stdout } of [dryRun, result]) {
      expect([code, stderr]).toEqual([
        0,
        'Warning: pmpt_t2 has its id as slug, because another preset is called twin.\n',
      ]);
      expect(stdout).toMatch(/^pmpt_t1 +twin .*\npmpt_t2 +pmpt_t2 /m);
    }
    const { body } = await server.get('/api/v1/presets/pmpt_t2', { key: apiKey });
    expect(body.data).toMatchObject({ slug: 'pmpt_t2', name: 'Twin' });
    expect((await importPrompts(prompts)).stdout.match(/already imported/g)).toHaveLength(2);
  });

  it('a name that another preset already has is kept, with the id as slug', async () => {
    const { code, stderr } = await importPrompts({ ...plain('pmpt_other', 'x'), name: 'Support reply' });
    expect([code, stderr]).toEqual([0, expect.stringContaining('another preset is called support-reply')]);
  });

  it('an import that ends before a preset gets its name can be continued', async () => {
    const withoutPatch = await startStubServer(async (request, response) => {
      const { method = '', url } = request;
      const body = await buffer(request);
      if (method === 'PATCH') return response.writeHead(500).end('{"error":{"message":"It broke."}}');
      const sent = method === 'GET' ? undefined : JSON.parse(body.toString());
      const { status, text } = await server.send(method, url ?? '', sent, { key: apiKey });
      return response.writeHead(status, { 'content-type': 'application/json' }).end(text);
    });
    const prompts = [{ ...plain('pmpt_y', 'a'), name: 'Y!' }, plain('pmpt_y2', 'a')];
    const failed = await importTextAt(withoutPatch.url, JSON.stringify(prompts));
    expect([failed.code, failed.stderr]).toEqual([1, 'It broke.\n']);
    expect(failed.stdout).toMatch(/^pmpt_y .* 1 +failed\npmpt_y2 .* not imported$/m);
    const { code, stdout } = await importPrompts(prompts);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^pmpt_y +y .* 1 +updated\npmpt_y2 .* 1 +imported$/m);
    const { body } = await server.get('/api/v1/presets/pmpt_y', { key: apiKey });
    expect(body.data).toMatchObject({ slug: 'y', name: 'Y!' });
  });

  it('an archived preset is left unchanged, with a warning', async () => {
    await importPrompts(plain('pmpt_old', 'a'));
    await server.send('DELETE', '/api/v1/presets/pmpt_old', undefined, { key: apiKey });
    const { code, stdout, stderr } = await importPrompts({ ...plain('pmpt_old', 'a'), name: 'Old' });
    expect([code, stderr]).toEqual([
      0,
      'Warning: pmpt_old is archived in presetd: calls to it fail until it is active.\n',
    ]);
    expect(stdout).toContain('already imported');
  });

  it('a name that was changed here is kept', async () => {
    const prompt = { ...plain('pmpt_z', 'a'), name: 'Z' };
    await importPrompts(prompt);
    await server.send('PATCH', '/api/v1/presets/z', { name: 'Mine', slug: 'mine' }, { key: apiKey });
    expect((await importPrompts(prompt)).stdout).toMatch(/^pmpt_z +mine .*already imported$/m);
  });

  it('prompts that the server rejects are all reported with their place in the file, and none is imported', async () => {
    const prompts = ['{{shop}}', '{{#open}}', '{{#open}}'].map((text, index) => ({
      ...entry('1', text),
      id: `pmpt_x${index}`,
      name: `X${index}`,
    }));
    const { code, stdout, stderr } = await importPrompts(prompts);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^Version 1 of pmpt_x1 was rejected: .*: \/input\/0 has an invalid tag.*\nVersion 1 of pmpt_x2 was rejected: .*\n$/,
    );
    expect(stdout).toBe(
      [
        'PROMPT   PRESET  VERSIONS   LIVE  RESULT',
        'pmpt_x0  x0      1 version        not imported',
        'pmpt_x1  x1      1 version        rejected',
        'pmpt_x2  x2      1 version        rejected',
        '',
      ].join('\n'),
    );
    expect((await server.get('/api/v1/presets/pmpt_x0', { key: apiKey })).status).toBe(404);
  });

  it('--json prints the results, with warnings and reasons', async () => {
    await importPrompts(plain('pmpt_j1', 'a'));
    const prompts = [plain('pmpt_j1', 'b'), { ...plain('pmpt_j2', 'a', '2'), name: 'J', xyz: 1 }];
    const { code, stdout, stderr } = await importPrompts(prompts, '--json');
    expect([code, stderr]).toEqual([5, '']);
    expect(JSON.parse(stdout)).toEqual({
      data: [
        {
          id: 'pmpt_j1',
          slug: 'pmpt_j1',
          outcome: 'conflict',
          versions_added: 0,
          live_version: 1,
          warnings: [],
          message: expect.stringContaining('has other content'),
        },
        {
          id: 'pmpt_j2',
          slug: 'j',
          outcome: 'created',
          versions_added: 2,
          live_version: 2,
          warnings: ['pmpt_j2 has a field that is not imported: xyz'],
        },
      ],
    });
  });

  it('--json prints an error as JSON, after the results', async () => {
    const { code, stdout, stderr } = await importPrompts(plain('pmpt_j3', '{{#open}}'), '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout).data).toMatchObject([
      { outcome: 'rejected', versions_added: 0, live_version: null },
    ]);
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 400,
      issues: [{ path: '/input', message: expect.stringContaining('version 1 of pmpt_j3') }],
    });
  });

  it.each([
    ['JavaScript', "const response = await client.responses.create({\n  model: 'gpt-5',\n});\n"],
    ['Python', 'response = client.responses.create(\n  model="gpt-5",\n)\n'],
  ])('the error for a file with %s says what to do', async (_language, text) => {
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

  it('the JavaScript example prints the request as JSON', async () => {
    const { stdout } = await execFileInTest(process.execPath, ['-e', block('js', 'JSON.stringify')]);
    expect(JSON.parse(stdout)).toMatchObject(request);
  });

  describeInPython('the Python examples', () => {
    it(
      'the Python example prints the request as JSON',
      async () => {
        const { stdout } = await python(['-c', block('python', 'json.dumps')]);
        expect(JSON.parse(stdout)).toMatchObject(request);
      },
      pythonTimeoutMs,
    );

    it(
      'the Python example imports the prompt and calls it with the unmodified SDK',
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
