import { afterAll, beforeAll, describe } from 'vitest';
import { type GatewayServer, startWithUpstream } from '../support/gateway-server.ts';
import { describeInPython, pythonTimeoutMs } from '../support/python.ts';
import { type CheckResults, reportChecks, runChecks } from '../support/python-checks.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts';
import type { ReceivedRequest, Script } from '../support/upstream-scripts.ts';
import { dialectOf, json, recorded, respondInDialect, upstreamError } from '../support/upstream-scripts.ts';
import { completionText, recordings } from '../support/wire/recordings.ts';
import { type DialectUpstreams, startDialectUpstreams } from './dialect-upstreams.ts';
import { weatherLoop } from './weather-loop.ts';

const sdks = [
  ['openrouter', 'openrouter_sdk.py'],
  ['openai', 'openai_sdk.py'],
  ['anthropic', 'anthropic_sdk.py'],
] as const;
const otherDialects = 'other_dialects.py';

describeInPython('Python', () => {
  let upstream: ScriptedUpstream;
  let server: GatewayServer;
  let dialectUpstreams: DialectUpstreams;
  let resultsOf: (script: string) => CheckResults;

  beforeAll(async () => {
    upstream = await startScriptedUpstream();
    upstream.respondAlways(respondByModel());
    server = await startWithUpstream(upstream);
    dialectUpstreams = await startDialectUpstreams();
    dialectUpstreams.play(weatherLoop);
    const environment = { UPSTREAM_URL: upstream.url, UPSTREAM_SPOKEN_TEXT: completionText };
    resultsOf = await runChecks(...sdks.map(([, script]) => ({ script, server, environment })), {
      script: otherDialects,
      server: dialectUpstreams.server,
      environment: { UPSTREAM_SPOKEN_TEXT: weatherLoop.text },
    });
  }, pythonTimeoutMs);
  afterAll(async () => {
    await upstream.stop();
    await server.stop();
    await dialectUpstreams.stop();
  });

  describe.each(sdks)('the SDK of %s', (_, script) => reportChecks(script, () => resultsOf(script)));

  describe('a client whose preset is at an upstream of another dialect', () =>
    reportChecks(otherDialects, () => resultsOf(otherDialects)));
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
