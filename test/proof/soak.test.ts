import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWorkingDirectory, type ServerProcess, startServerProcess } from '../support/command.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts';
import { LoadClient, requestBytes } from './load/open-loop.ts';
import { eventLoopDelayMs, median, type VitalSigns, vitalSigns } from './load/vital-signs.ts';
import { isLong, logProgress, scale } from './scale.ts';

const apiKey = 'api-key-of-the-soak';

/** A busy hour: 278 requests per second. */
const requestCount = scale(800, 1_000_000);
const samples = scale(8, 40);

let directory: ReturnType<typeof createWorkingDirectory>;
let upstream: ScriptedUpstream;
let server: ServerProcess;
beforeEach(async () => {
  directory = createWorkingDirectory();
  upstream = await startScriptedUpstream();
  server = await startServerProcess(directory.path, {
    PRESETD_BOOTSTRAP_API_KEY: apiKey,
    PRESETD_UPSTREAM_URL: upstream.url,
    OPENROUTER_API_KEY: 'key-of-the-upstream',
    PRESETD_METRICS_PORT: '0',
  });
});
afterEach(async () => {
  await server.stop();
  await upstream.stop();
  directory.remove();
});

const presets = 50;
const build = (method: string, path: string, body?: object) =>
  requestBytes(method, `/api/v1${path}`, apiKey, body && JSON.stringify(body));
const chat = (index: number) => ({ model: 'm', messages: [{ role: 'system', content: `prompt ${index}` }] });

/** A realistic mix: mostly calls and reads, some writes and some invalid requests. */
function request(index: number): Buffer {
  const slug = `p-${index % presets}`;
  const kind = index % 20;
  if (kind < 9)
    return build('POST', '/chat/completions', {
      model: `@preset/${slug}`,
      messages: [{ role: 'user', content: 'hi' }],
    });
  if (kind < 14) return build('GET', `/presets/${slug}`);
  if (kind === 14) return build('GET', `/presets/${slug}-alias`);
  if (kind === 15) return build('POST', `/presets/${slug}/chat/completions`, chat(index));
  if (kind === 16) return build('GET', '/presets?limit=20');
  if (kind === 17)
    return index % 40 === 17
      ? build('PUT', `/presets/${slug}/aliases/${slug}-alias`)
      : build('PUT', `/presets/${slug}/labels/live`, { version: 1 });
  if (kind === 18) return build('GET', `/presets/nothing-${index}`);
  return build('POST', `/presets/${slug}/messages`, { model: 7 });
}

function warnings(log: string): readonly string[] {
  return log.split('\n').filter((line) => line.startsWith('{"level":40,'));
}

interface Sample extends VitalSigns {
  readonly delayMs: number;
}

describe('an hour of load', () => {
  it('does not increase memory, handles or event-loop delay', async () => {
    const client = new LoadClient(server.url, 32);
    const pid = server.process.pid ?? 0;
    const findMetrics = () => /"url":"(\S+?\/metrics)"/.exec(server.stdout())?.[1] ?? '';
    await expect.poll(findMetrics).not.toBe('');
    const metricsUrl = findMetrics();
    const range = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => request(from + index));
    const all = Array.from({ length: presets }, (_, index) => index);
    await client.withConcurrency(
      8,
      all.map((index) => build('POST', `/presets/p-${index}/chat/completions`, chat(index))),
    );
    await client.withConcurrency(
      8,
      all.map((index) => build('PUT', `/presets/p-${index}/aliases/p-${index}-alias`)),
    );

    const measured: Sample[] = [];
    const statuses = new Map<number, number>();
    const perSample = requestCount / samples;
    for (let sample = 0; sample < samples; sample += 1) {
      const { responses, lost } = await client.withConcurrency(32, range(sample * perSample, perSample));
      expect(lost).toBe(0);
      for (const { status } of responses) statuses.set(status, (statuses.get(status) ?? 0) + 1);
      upstream.clear();
      measured.push({ ...vitalSigns(pid), delayMs: await eventLoopDelayMs(metricsUrl) });
      const { residentMiB, handles, delayMs } = measured.at(-1) ?? { residentMiB: 0, handles: 0, delayMs: 0 };
      logProgress(
        `soak: ${(sample + 1) * perSample} requests; ${residentMiB} MiB, ${handles} handles, event loop p99 ${delayMs.toFixed(1)} ms`,
      );
    }
    client.close();
    // If the machine stalls repeatedly, the server sheds queued requests.
    const shed = statuses.get(503) ?? 0;
    if (shed > 0) logProgress(`soak: ${shed} × 503; ${warnings(server.stdout()).join('\n')}`);
    expect(shed).toBeLessThan(scale(2, requestCount / 1_000));
    statuses.delete(503);
    expect(new Set(statuses.keys())).toEqual(new Set([200, 400, 404]));
    expect(statuses.get(200)).toBeGreaterThanOrEqual(requestCount * 0.9 - shed);

    // The first quarter is warm-up.
    const parts = [
      measured.slice(samples / 4, (samples * 5) / 8),
      measured.slice((samples * 5) / 8),
    ] as const;
    const [middle, end] = parts.map((part) => ({
      residentMiB: median(part.map(({ residentMiB }) => residentMiB)),
      handles: median(part.map(({ handles }) => handles)),
      delayMs: median(part.map(({ delayMs }) => delayMs)),
    })) as [Sample, Sample];
    logProgress(`soak: middle ${JSON.stringify(middle)}, end ${JSON.stringify(end)}`);
    expect(end.handles).toBeLessThanOrEqual(middle.handles + 4);
    // A short run shares the machine with other tests.
    if (!isLong) return;
    expect(end.residentMiB).toBeLessThan(middle.residentMiB * 1.1);
    expect(end.delayMs).toBeLessThan(middle.delayMs * 3 + 100);
  });
});
