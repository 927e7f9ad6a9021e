import { afterAll, beforeAll, describe } from 'vitest';
import { type GatewayServer, startWithUpstream } from '../support/gateway-server.ts';
import { describeInPython, pythonTimeoutMs } from '../support/python.ts';
import { type CheckResults, reportChecks, runChecks } from '../support/python-checks.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts';
import type { ReceivedRequest, Script } from '../support/upstream-scripts.ts';
import { dialectOf, json, recorded, respondInDialect, upstreamError } from '../support/upstream-scripts.ts';
import { completionText, recordings } from '../support/wire/recordings.ts';

describeInPython('the Python SDK', () => {
  describe.each([
    ['openrouter', 'openrouter_sdk.py'],
    ['openai', 'openai_sdk.py'],
    ['anthropic', 'anthropic_sdk.py'],
  ])('%s', (_, script) => {
    let upstream: ScriptedUpstream;
    let server: GatewayServer;
    let results: CheckResults;

    beforeAll(async () => {
      upstream = await startScriptedUpstream();
      upstream.respondAlways(respondByModel());
      server = await startWithUpstream(upstream);
      results = await runChecks(script, server, {
        UPSTREAM_URL: upstream.url,
        UPSTREAM_SPOKEN_TEXT: completionText,
      });
    }, pythonTimeoutMs);
    afterAll(async () => {
      await upstream.stop();
      await server.stop();
    });

    reportChecks(script, () => results);
  });
});

/** Lets a Python script select the response by model, and read what the upstream received. */
function respondByModel(): Script {
  let last: ReceivedRequest | undefined;
  return (exchange) => {
    const { request } = exchange;
    if (request.path.endsWith('/last-request')) return json(last?.body)(exchange);
    last = request;
    if (request.body?.model === 'vendor/is-rate-limited') return upstreamError(429, 'Slow down')(exchange);
    if (request.body?.model === 'vendor/calls-a-tool')
      return recorded(toolRecordingOf[dialectOf(exchange)])(exchange);
    return respondInDialect(exchange);
  };
}

const toolRecordingOf = {
  'chat-completions': recordings['openai-chat-tool'],
  messages: recordings['anthropic-messages-tool'],
  responses: recordings['openai-responses-tool'],
} as const;
