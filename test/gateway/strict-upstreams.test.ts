import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json/json-object.ts';
import { type Dialect, dialects } from '../../src/core/presets/preset.ts';
import { type GatewayServer, startUpstreams, startWithFile, upstreamKey } from '../support/gateway-server.ts';
import { findRejections } from '../support/provider-rules.ts';
import type { ScriptedUpstream } from '../support/scripted-upstream.ts';
import { type Feature, requestFeatures } from '../support/translated-features.ts';
import { json, recorded } from '../support/upstream-scripts.ts';
import { pathOf, recordingOf } from '../support/wire/recordings.ts';

/** Sends every feature to upstreams that reject what OpenAI and Anthropic reject. */

const chat = 'chat-completions';
const kinds: Readonly<Record<Dialect, string>> = {
  [chat]: 'openai',
  messages: 'anthropic',
  responses: 'openai',
};
const question: Readonly<Record<Dialect, JsonObject>> = {
  [chat]: { messages: [{ role: 'user', content: 'Hi' }] },
  messages: { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 99 },
  responses: { input: 'Hi' },
};

let upstreams: Readonly<Record<Dialect, ScriptedUpstream>>;
let server: GatewayServer;
beforeAll(async () => {
  const started = await startUpstreams(3);
  upstreams = Object.fromEntries(dialects.map((dialect, at) => [dialect, started[at]])) as typeof upstreams;
  server = await startWithFile(
    {
      upstreams: dialects.map((dialect) => ({
        name: dialect,
        kind: kinds[dialect],
        base_url: upstreams[dialect].url,
        dialects: [dialect],
        models: [`${dialect}/*`],
      })),
    },
    { OPENAI_API_KEY: upstreamKey, ANTHROPIC_API_KEY: upstreamKey },
  );
  for (const dialect of dialects)
    upstreams[dialect].respondAlways((exchange) => {
      const problems = findRejections(exchange.request.body, dialect);
      return problems.length === 0
        ? recorded(recordingOf[dialect])(exchange)
        : json({ error: { message: problems.join('; ') } }, 400)(exchange);
    });
});
afterAll(async () => {
  await Promise.all(Object.values(upstreams).map((upstream) => upstream.stop()));
  await server.stop();
});

/** Each form of each feature, with the dialects of others. */
const casesOf = (features: readonly Feature[]) =>
  features.flatMap((feature) =>
    dialects.flatMap((from) =>
      formsOf(feature, from).flatMap((form) =>
        dialects.filter((to) => to !== from).map((to) => [feature.title, from, to, form] as const),
      ),
    ),
  );

function formsOf({ forms }: Feature, dialect: Dialect): readonly JsonObject[] {
  const form = forms[dialect];
  if (form === undefined) return [];
  return Array.isArray(form) ? form : [form as JsonObject];
}

it.each(casesOf(Object.values(requestFeatures).flat()))(
  '%s, from %s to %s: the provider accepts the request, unless presetd refuses it %#',
  async (_, client, upstream, form) => {
    for (const stream of [false, true]) {
      const before = upstreams[upstream].requests.length;
      const { status, text } = await server.post(`/api/v1${pathOf[client]}`, {
        model: `${upstream}/m`,
        ...question[client],
        ...form,
        ...(stream && { stream }),
      });
      const isRefused = status === 400 && upstreams[upstream].requests.length === before;
      expect(isRefused || status === 200 ? 'accepted' : text).toBe('accepted');
    }
  },
);

// A call that is not translated cannot get the names of a preset's tools back.
const { Tools = [], Output = [] } = requestFeatures;
const inPresets = [...Tools, ...Output].filter(({ title }) => !title.startsWith('Names of more than'));

it.each(casesOf(inPresets))(
  '%s, in a preset of %s that is called in %s: the provider accepts the request %#',
  async (_, captured, dialect, form) => {
    await server.capture('feature', { ...question[captured], ...form, model: `${dialect}/m` }, captured);
    const { status, text } = await server.call(
      { ...question[dialect], model: '@preset/feature' },
      { dialect },
    );
    expect(status === 200 ? 'accepted' : text).toBe('accepted');
  },
);

const withPrompt = { messages: [{ role: 'system', content: 'Write a haiku.' }] };

it.each<[Dialect, Dialect, JsonObject, string | null]>([
  [chat, 'messages', { messages: [] }, 'messages.*.role'],
  ['responses', 'messages', {}, 'input.*.role'],
  ['responses', 'messages', { input: null }, 'input.*.role'],
  [chat, 'responses', { messages: [] }, null],
  ['messages', 'responses', { messages: [], max_tokens: 99 }, null],
  ['responses', chat, { input: [] }, null],
])('a preset alone can be called, from %s to %s: %j', async (client, upstream, body, dropped) => {
  await server.capture('haiku', { ...withPrompt, model: `${upstream}/m` });
  const prompt = client === 'responses' ? { prompt: { id: 'haiku' } } : { model: '@preset/haiku' };
  const response = await server.call({ ...prompt, ...body }, { dialect: client });
  expect([response.status, response.headers.get('x-presetd-dropped-fields')]).toEqual([200, dropped]);
  expect(JSON.stringify(upstreams[upstream].requests.at(-1)?.body)).toContain('Write a haiku.');
});
