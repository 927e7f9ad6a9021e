import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openStream } from '../support/event-stream.ts';
import { compatible, type GatewayServer, startUpstreams, startWithFile } from '../support/gateway-server.ts';
import type { ScriptedUpstream } from '../support/scripted-upstream.ts';
import { beginStream, cut, reset, stall, upstreamError } from '../support/upstream-scripts.ts';
import { dialects, recordingOf } from '../support/wire/recordings.ts';

const messages = [{ role: 'user', content: 'Will it rain?' }];
const token = 'a-token-for-metrics';

describe('gateway metrics', () => {
  let first: ScriptedUpstream;
  let second: ScriptedUpstream;
  let server: GatewayServer;
  beforeAll(async () => {
    [first, second] = (await startUpstreams(2)) as [ScriptedUpstream, ScriptedUpstream];
    const rest = { dialects: [...dialects] };
    server = await startWithFile(
      {
        upstreams: [
          compatible('first', first, { models: ['one/*'], ...rest }),
          compatible('second', second, { models: ['two/*'], ...rest }),
        ],
      },
      { PRESETD_METRICS_TOKEN: token },
    );
    await server.capture('weather', { model: 'one/a', messages });
  });
  beforeEach(() => {
    first.clear();
    second.clear();
  });
  afterAll(async () => {
    await Promise.all([first.stop(), second.stop()]);
    await server.stop();
  });

  /** How much `work` increases a series. Metrics lag behind the response a little. */
  async function growth(series: string, work: () => Promise<unknown>): Promise<number> {
    const before = await readMetric(series);
    await work();
    await expect.poll(() => readMetric(series), { interval: 5 }).not.toBe(before);
    return (await readMetric(series)) - before;
  }

  async function readMetric(series: string): Promise<number> {
    const { text } = await server.get('/metrics', { key: token });
    const line = text.split('\n').find((each) => each.startsWith(`${series} `));
    return line === undefined ? 0 : Number(line.slice(series.length + 1));
  }

  const requests = (dialect: string, preset: string, upstream: string, status: number) =>
    `presetd_gateway_requests_total{dialect="${dialect}",preset="${preset}",upstream="${upstream}",status="${status}"}`;
  const tokens = (dialect: string, direction: string) =>
    `presetd_gateway_tokens_total{dialect="${dialect}",preset="weather",upstream="first",direction="${direction}"}`;

  it.each(dialects)(
    'count requests and tokens by dialect, preset and upstream, streamed or not: %s',
    async (dialect) => {
      for (const stream of [false, true]) {
        const call = () => server.call({ model: '@preset/weather', messages, stream }, { dialect });
        expect(await growth(requests(dialect, 'weather', 'first', 200), call)).toBe(1);
        expect(await growth(tokens(dialect, 'input'), call)).toBe(14);
        expect(await growth(tokens(dialect, 'output'), call)).toBe(9);
        expect(await growth('presetd_gateway_overhead_seconds_count', call)).toBe(1);
        expect(await growth('presetd_gateway_first_byte_seconds_count{upstream="first"}', call)).toBe(1);
      }
    },
  );

  it('count fallbacks by upstream and reason', async () => {
    first.respondWith(upstreamError(503, 'Busy'), reset);
    const call = () => server.call({ model: 'one/a', models: ['two/b'], messages });
    const fallbacks = (reason: string) =>
      `presetd_gateway_fallbacks_total{upstream="first",reason="${reason}"}`;
    expect(await growth(fallbacks('503'), call)).toBe(1);
    expect(await growth(fallbacks('reset'), call)).toBe(1);
  });

  it('count failures by status, including streams that break off after a 200', async () => {
    first.respondWith(upstreamError(400, 'No'));
    const call = (model: string) => () => server.call({ model, messages });
    expect(await growth(requests('chat-completions', '', 'first', 400), call('one/a'))).toBe(1);
    expect(await growth(requests('chat-completions', '', '', 404), call('@preset/none'))).toBe(1);
    first.respondWith(cut(recordingOf['chat-completions'].stream.subarray(0, 700)));
    const broken = () => server.call({ model: 'one/a', messages, stream: true });
    expect(await growth(requests('chat-completions', '', 'first', 502), broken)).toBe(1);
  });

  it('count clients that disconnect as 499', async () => {
    first.respondWith(stall);
    const disconnected = requests('chat-completions', 'weather', 'first', 499);
    const before = await readMetric(disconnected);
    const opening = openStream(server, 'chat-completions', { model: '@preset/weather', messages });
    const { response } = await first.nextExchange();
    beginStream(response).write('data: {}\n\n');
    (await opening).abort();
    await expect.poll(() => readMetric(disconnected)).toBe(before + 1);
  });

  it('count lookups in the preset cache', async () => {
    const lookups = async () =>
      (await readMetric('presetd_cache_lookups_total{cache="presets",result="hit"}')) +
      (await readMetric('presetd_cache_lookups_total{cache="presets",result="miss"}'));
    const before = await lookups();
    await server.call({ model: '@preset/weather', messages });
    expect(await lookups()).toBe(before + 1);
  });

  it('contain no prompt and no key', async () => {
    const { text } = await server.get('/metrics', { key: token });
    expect(text).not.toContain('rain');
    expect(text).not.toContain(token);
  });
});
