import { rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Snippet, snippetsFor } from '../../dashboard/src/pages/preset/playground/snippets.ts';
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

  async function run(id: Snippet['id'], reference: string): Promise<string> {
    const { origin } = new URL(gateway.server.url);
    const code = snippetsFor({ origin, reference }).find((snippet) => snippet.id === id)?.code ?? '';
    return id === 'curl' ? runInShell(code) : runInNode(code);
  }
  const sent = () => gateway.upstream.requests.map(({ body }) => body);

  describe.each(references)('with %s', (reference) => {
    it('work with curl', async () => {
      expect(JSON.parse(await run('curl', reference)).choices[0].message.content).toBe(completionText);
      expect(sent()).toMatchObject([appliedPreset['chat-completions']]);
    });

    it("work with OpenAI's SDK", async () => {
      expect(await run('openai-typescript', reference)).toBe(`${completionText}\n`);
      expect(sent()).toMatchObject([appliedPreset['chat-completions']]);
    });

    it("work with Anthropic's SDK", async () => {
      expect(await run('anthropic-typescript', reference)).toBe(`${completionText}\n`);
      expect(sent()).toMatchObject([{ ...appliedPreset.messages, max_tokens: 1_024 }]);
    });

    it("work with OpenRouter's SDK", async () => {
      gateway.upstream.respondWith(recorded(recordings['openrouter-chat']));
      expect(await run('openrouter-typescript', reference)).toBe(`${completionText}\n`);
      expect(sent()).toMatchObject([appliedPreset['chat-completions']]);
    });
  });
});

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
