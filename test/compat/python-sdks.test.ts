import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GatewayServer, startWithUpstream } from '../support/gateway-server.ts';
import { describeInPython, installTimeoutMs, python, pythonFolder } from '../support/python.ts';
import {
  type ReceivedRequest,
  type Script,
  type ScriptedUpstream,
  startScriptedUpstream,
} from '../support/scripted-upstream.ts';
import { apiKey, managementKey } from '../support/server.ts';
import { answerInKind, dialectOf, json, recorded, refusal } from '../support/upstream-scripts.ts';
import { recordings, spokenText } from '../support/wire/recordings.ts';

/** Long, because a script makes thousands of requests and other tests run beside it. */
const checksTimeoutMs = 180_000;

describeInPython('the Python SDK', () => {
  describe.each([
    ['openrouter', 'openrouter_sdk.py'],
    ['openai', 'openai_sdk.py'],
    ['anthropic', 'anthropic_sdk.py'],
  ])('%s', (_, script) => {
    const titles = titlesIn(script);
    let upstream: ScriptedUpstream;
    let server: GatewayServer;
    let failures: ReadonlyMap<string, string | null>;

    beforeAll(async () => {
      upstream = await startScriptedUpstream();
      upstream.answerAlways(answerByModel());
      server = await startWithUpstream(upstream);
      failures = await runChecks(script, { server, upstream });
    }, installTimeoutMs + checksTimeoutMs);
    afterAll(async () => {
      await upstream.stop();
      await server.stop();
    });

    it.each(titles)('%s', (title) => {
      if (!failures.has(title)) expect.fail('the script did not run this check');
      expect(failures.get(title)).toBeNull();
    });

    it('has no check that is not reported here', () => {
      expect([...failures.keys()]).toEqual(titles);
    });
  });
});

/** Read from the source, because Vitest wants the titles before anything has run. */
function titlesIn(script: string): readonly string[] {
  const source = readFileSync(join(pythonFolder, script), 'utf8');
  return [...source.matchAll(/^@check\("(.+)"\)$/gm)].map(([, title = '']) => title);
}

async function runChecks(
  script: string,
  { server, upstream }: { readonly server: { url: string }; readonly upstream: { url: string } },
): Promise<ReadonlyMap<string, string | null>> {
  const { stdout } = await python([join(pythonFolder, script)], {
    timeout: checksTimeoutMs,
    env: {
      PRESETD_URL: server.url,
      PRESETD_API_KEY: apiKey,
      PRESETD_MANAGEMENT_KEY: managementKey,
      UPSTREAM_URL: upstream.url,
      UPSTREAM_SPOKEN_TEXT: spokenText,
    },
  });
  const reports: readonly { title: string; failure: string | null }[] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return new Map(reports.map(({ title, failure }) => [title, failure]));
}

/** Lets a script choose the answer by the model, and see what the upstream got. */
function answerByModel(): Script {
  let last: ReceivedRequest | undefined;
  return (exchange) => {
    const { request } = exchange;
    if (request.path.endsWith('/last-request')) return json(last?.body)(exchange);
    last = request;
    if (request.body?.model === 'vendor/is-rate-limited') return refusal(429, 'Slow down')(exchange);
    if (request.body?.model === 'vendor/calls-a-tool')
      return recorded(toolRecordingOf[dialectOf(exchange)])(exchange);
    return answerInKind(exchange);
  };
}

const toolRecordingOf = {
  'chat-completions': recordings['openai-chat-tool'],
  messages: recordings['anthropic-messages-tool'],
  responses: recordings['openai-responses-tool'],
} as const;
