import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { engines } from '../support/engines.ts';
import { startWithUpstream, upstreamKey } from '../support/gateway-server.ts';
import { startScriptedUpstream } from '../support/scripted-upstream.ts';
import { startServerOn } from '../support/server.ts';

const question = { messages: [{ role: 'user', content: 'Will it rain?' }] };

describe.each(engines)('a cached preset on %s', (engine) => {
  it('follows the changes of another server on the same database within a second', async () => {
    const upstream = await startScriptedUpstream();
    const writer = await startWithUpstream(upstream, {}, engine);
    const reader = await startServerOn(writer.database, {
      PRESETD_UPSTREAM_URL: upstream.url,
      OPENROUTER_API_KEY: upstreamKey,
    });
    const servedFor = async (model: string) => {
      const response = await reader.post('/api/v1/chat/completions', { ...question, model });
      return response.headers.get('x-presetd-preset') ?? String(response.status);
    };
    /** Polls until each reference is served as expected, for at most a second. */
    const expectWithinOneSecond = async (expected: Readonly<Record<string, string>>) => {
      const deadline = performance.now() + 1_000;
      const models = Object.keys(expected);
      for (;;) {
        const isLast = performance.now() >= deadline;
        const served = Object.fromEntries(
          await Promise.all(models.map(async (model) => [model, await servedFor(model)] as const)),
        );
        if (isLast || models.every((model) => served[model] === expected[model])) {
          expect(served).toEqual(expected);
          return;
        }
        await delay(20);
      }
    };
    const at = '/api/v1/presets/shared';
    const [designated, live, second] = ['@preset/shared', '@preset/shared:live', '@preset/shared@2'];

    expect(await servedFor(designated)).toBe('404');
    await writer.capture('shared', { model: 'vendor/1', ...question });
    await writer.send('PUT', `${at}/labels/live`, { version: 1 });
    await expectWithinOneSecond({ [designated]: 'shared@1', [live]: 'shared@1', [second]: '404' });
    await writer.capture('shared', { model: 'vendor/2', ...question });
    await expectWithinOneSecond({ [designated]: 'shared@2', [live]: 'shared@1', [second]: 'shared@2' });
    await writer.send('PUT', `${at}/labels/live`, { version: 2 });
    await writer.send('PATCH', at, { designated_version: 1 });
    await expectWithinOneSecond({ [designated]: 'shared@1', [live]: 'shared@2', [second]: 'shared@2' });
    await writer.send('PATCH', at, { status: 'disabled' });
    await expectWithinOneSecond({ [designated]: '403', [live]: '403', [second]: '403' });
    await writer.send('PATCH', at, { status: 'active' });
    await writer.send('DELETE', at);
    await expectWithinOneSecond({ [designated]: '404', [live]: '404', [second]: '404' });

    await upstream.stop();
    await reader.stop();
    await writer.stop();
  });
});
