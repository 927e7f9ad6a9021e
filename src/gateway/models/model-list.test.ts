import { describe, expect, it } from 'vitest';
import { toGatewaySettings } from '../upstreams/gateway-settings.ts';
import type { UpstreamEntry } from '../upstreams/upstream-file-schema.ts';
import { createModelList } from './model-list.ts';

const minute = 60_000;

interface Answers {
  [upstream: string]: readonly string[] | Error | Promise<readonly string[]>;
}

/** A list whose upstreams answer as the test says, and whose time passes as it says. */
function start(
  entries: readonly UpstreamEntry[],
  answers: Answers,
  environment: Record<string, string> = {},
) {
  const state = { settings: toGatewaySettings({ upstreams: [...entries] }, environment), at: 0 };
  const asked: string[] = [];
  const warnings: string[] = [];
  const hits: boolean[] = [];
  const list = createModelList({
    settings: () => state.settings,
    async fetch({ name }) {
      asked.push(name);
      const answer = await answers[name];
      if (answer instanceof Error) throw answer;
      return (answer ?? []).map((id) => ({ id }));
    },
    warn: (_fields, message) => warnings.push(message),
    observe: (isHit) => hits.push(isHit),
    now: () => state.at,
  });
  const ids = async () => (await list()).map(({ id }) => id);
  return { state, asked, warnings, hits, ids, answers };
}

const local = (name: string, more: Partial<UpstreamEntry> = {}): UpstreamEntry => ({
  name,
  kind: 'openai-compatible',
  base_url: `http://${name}`,
  ...more,
});

/** Lets what was begun in the background come to its end. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('the models of upstreams', () => {
  it('come in the order of the upstreams, under names that lead back to them, each once', async () => {
    const { ids } = start(
      [
        local('claude', { models: ['anthropic/*'], strip_prefix: 'anthropic/' }),
        local('some', { models: ['a*', 'c'] }),
        local('rest'),
      ],
      { claude: ['opus'], some: ['a1', 'b1', 'c', 'a1'], rest: ['anthropic/haiku', 'a2', 'b1', 'c', 'd'] },
    );
    expect(await ids()).toEqual(['anthropic/opus', 'a1', 'c', 'b1', 'd']);
  });

  it('of a later upstream are there where an earlier one does not speak all of its dialects', async () => {
    const { ids } = start([local('first', { dialects: ['messages'] }), local('second')], {
      first: ['a', 'b'],
      second: ['b', 'c'],
    });
    expect(await ids()).toEqual(['a', 'b', 'c']);
  });

  it('are not asked for without the key that the upstream wants, whose models are left out all the same', async () => {
    const entries: UpstreamEntry[] = [{ name: 'keyed', kind: 'openai', models: ['a'] }, local('open')];
    const without = start(entries, { keyed: ['a'], open: ['a', 'b'] });
    // Requests for the other model would go to the upstream that has no key.
    expect(await without.ids()).toEqual(['b']);
    expect(without.asked).toEqual(['open']);
    const having = start(entries, { keyed: ['a'], open: ['a', 'b'] }, { OPENAI_API_KEY: 'k' });
    expect(await having.ids()).toEqual(['a', 'b']);
  });

  it('are remembered for five minutes, and then asked for in the background', async () => {
    const { ids, state, asked, answers, hits } = start([local('a')], { a: ['old'] });
    expect(await ids()).toEqual(['old']);
    answers.a = ['new'];
    state.at = 5 * minute - 1;
    expect(await ids()).toEqual(['old']);
    expect(asked).toHaveLength(1);
    state.at = 5 * minute;
    expect(await ids()).toEqual(['old']);
    await settle();
    expect(await ids()).toEqual(['new']);
    expect(asked).toHaveLength(2);
    expect(hits).toEqual([false, true, true, true]);
  });

  it('are asked for once, however many want to know', async () => {
    const { ids, asked } = start([local('a')], { a: ['m'] });
    expect(await Promise.all([ids(), ids(), ids()])).toEqual([['m'], ['m'], ['m']]);
    expect(asked).toEqual(['a']);
  });

  it('stay as they were known while the upstream is down, which is asked again after half a minute', async () => {
    const { ids, state, asked, answers, warnings } = start([local('a')], { a: ['m'] });
    await ids();
    answers.a = new Error('it sleeps');
    state.at = 5 * minute;
    for (let times = 0; times < 3; times++) {
      expect(await ids()).toEqual(['m']);
      await settle();
    }
    expect(asked).toHaveLength(2);
    expect(warnings).toEqual(['the models of the upstream a cannot be listed: it sleeps']);
    answers.a = ['n'];
    state.at += 30_000;
    expect(await ids()).toEqual(['m']);
    await settle();
    expect(await ids()).toEqual(['n']);
  });

  it('are left out while they were never known, without holding up those of others', async () => {
    const { ids, state, asked, answers } = start([local('a', { models: ['n'] }), local('b')], {
      a: new Error('no'),
      b: ['m'],
    });
    expect(await ids()).toEqual(['m']);
    answers.a = ['n'];
    state.at = 29_999;
    expect(await ids()).toEqual(['m']);
    expect(asked).toEqual(['a', 'b']);
    state.at = 30_000;
    expect(await ids()).toEqual(['n', 'm']);
  });

  it('are known after a reload as well, except of an upstream that became another', async () => {
    const { ids, state, asked, answers } = start([local('a', { models: ['m'] }), local('b')], {
      a: ['m'],
      b: ['n'],
    });
    await ids();
    answers.b = ['o'];
    state.settings = toGatewaySettings(
      {
        upstreams: [
          local('a', { models: ['m'], timeouts: { idle_ms: 1 } }),
          local('b', { base_url: 'http://elsewhere' }),
        ],
      },
      {},
    );
    expect(await ids()).toEqual(['m', 'o']);
    expect(asked).toEqual(['a', 'b', 'b']);
  });
});
