import { rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Snippet, snippetsFor } from '../../dashboard/src/pages/preset/use/snippets.ts';
import type { JsonObject } from '../../src/core/json/json-object.ts';
import { describeInPython, python, pythonTimeoutMs } from '../support/python.ts';
import { runProgram } from '../support/run-program.ts';
import { apiKey } from '../support/server.ts';
import { execFileInTest } from '../support/test-scope.ts';
import { recorded } from '../support/upstream-scripts.ts';
import { completionText, recordings } from '../support/wire/recordings.ts';
import { appliedPreset, type GatewayWithPresets, startGatewayWithPresets } from './gateway-presets.ts';

const references = ['@preset/of-chat-completions', '@preset/of-messages@1', '@preset/of-responses:latest'];

describe("the dashboard's code snippets", () => {
  let gateway: GatewayWithPresets;
  beforeAll(async () => {
    gateway = await startGatewayWithPresets();
  });
  beforeEach(() => gateway.upstream.clear());
  afterAll(() => gateway.stop());

  async function run(
    id: Snippet['id'],
    reference: string,
    variables?: object,
    runTypeScript = (code: string) => runProgram(code, { PRESETD_API_KEY: apiKey }),
  ): Promise<string> {
    const code = codeOf(id, reference, variables);
    return id === 'curl' ? runInShell(code) : runTypeScript(code);
  }
  function codeOf(id: Snippet['id'], reference: string, variables?: object): string {
    const { origin } = new URL(gateway.server.url);
    const options = { origin, reference, variables: variables as JsonObject | undefined };
    return snippetsFor(options).find((snippet) => snippet.id === id)?.code ?? expect.fail(`no snippet ${id}`);
  }
  const sent = () => gateway.upstream.requests.map(({ body }) => body);

  it.each(references)('call %s with curl', async (reference) => {
    expect(JSON.parse(await run('curl', reference)).choices[0].message.content).toBe(completionText);
    expect(sent()).toMatchObject([appliedPreset['chat-completions']]);
  });

  it("call a preset with OpenAI's SDK, in a separate process", async () => {
    expect(await run('openai-typescript', '@preset/of-chat-completions', undefined, runInNode)).toBe(
      `${completionText}\n`,
    );
    expect(sent()).toMatchObject([appliedPreset['chat-completions']]);
  });

  it("call a preset with Anthropic's SDK", async () => {
    expect(await run('anthropic-typescript', '@preset/of-messages@1')).toBe(`${completionText}\n`);
    expect(sent()).toMatchObject([{ ...appliedPreset.messages, max_tokens: 1_024 }]);
  });

  it("call a preset with OpenRouter's SDK", async () => {
    gateway.upstream.respondWith(recorded(recordings['openrouter-chat']));
    expect(await run('openrouter-typescript', '@preset/of-responses:latest')).toBe(`${completionText}\n`);
    expect(sent()).toMatchObject([appliedPreset['chat-completions']]);
  });

  describe("the dashboard's code snippets with variables", () => {
    const texts = { customer: `O'Hara "x" \\ {{y}}`, note: 'Two\nlines' };
    const values = { ...texts, stars: 4, isLate: true, orders: [{ id: 'A7' }], spare: 'x'.repeat(60) };
    const schemas = {
      customer: { type: 'string' },
      note: { type: 'string' },
      stars: { type: 'integer', default: 4 },
      isLate: { type: 'boolean', default: true },
      orders: { type: 'array', default: [{ id: 'A7' }] },
      spare: { type: 'string', default: '' },
    };
    const system = 'For {{customer}}: {{note}} {{stars}} {{isLate}} {{orders}}';
    const rendered = `For ${texts.customer}: ${texts.note} 4 true [{"id":"A7"}]`;
    beforeAll(() =>
      gateway.server.capture(
        'template',
        {
          model: 'vendor/model',
          messages: [{ role: 'system', content: system }],
          presetd: { variables: schemas },
        },
        'chat-completions',
      ),
    );
    const reference = '@preset/template@1';
    const sentText = () => JSON.stringify(sent());

    it('work with curl', async () => {
      await run('curl', reference, values);
      expect(sentText()).toContain(JSON.stringify(rendered));
    });

    it.each(['openai-typescript', 'anthropic-typescript'] as const)('work with %s', async (id) => {
      for (const variables of [texts, values]) {
        gateway.upstream.clear();
        expect(await run(id, reference, variables)).toBe(`${completionText}\n`);
        expect(sentText()).toContain(JSON.stringify(rendered));
        expect(sentText()).not.toContain('"prompt"');
      }
    });

    it("work with OpenRouter's SDK, which calls responses", async () => {
      expect(await run('openrouter-typescript', reference, texts)).toBe(`${completionText}\n`);
      expect(sent()).toMatchObject([{ instructions: rendered }]);
    });

    describeInPython('Python snippets with variables', () => {
      it(
        'work with the SDKs of OpenAI, Anthropic and OpenRouter',
        async () => {
          const codes = (['openai-python', 'anthropic-python', 'openrouter-python'] as const).map((id) =>
            codeOf(id, reference, id === 'openrouter-python' ? texts : values),
          );
          expect(await runInPython(codes)).toBe(`${completionText}\n`.repeat(3));
          const requests = sent().map((body) => JSON.stringify(body));
          expect(requests).toEqual(Array(3).fill(expect.stringContaining(JSON.stringify(rendered))));
        },
        pythonTimeoutMs,
      );
    });
  });
});

/** In one process, which takes a second to import what the SDKs share, each with its own names. */
async function runInPython(codes: readonly string[]): Promise<string> {
  const runAll = 'import sys\nfor code in sys.argv[1:]: exec(code, {"__name__": "__main__"})';
  return (await python(['-c', runAll, ...codes], { PRESETD_API_KEY: apiKey })).stdout;
}

const env = { ...process.env, PRESETD_API_KEY: apiKey };

async function runInShell(code: string): Promise<string> {
  return (await execFileInTest('sh', ['-c', code], { env })).stdout;
}

async function runInNode(code: string): Promise<string> {
  // Written next to this file, so that Node finds the SDKs.
  const file = fileURLToPath(new URL('.snippet.ts', import.meta.url));
  writeFileSync(file, code);
  try {
    return (await execFileInTest(process.execPath, [file], { env })).stdout;
  } finally {
    rmSync(file);
  }
}
