import { describe, expect, it } from 'vitest';
import { toGatewaySettings } from '../upstreams/gateway-settings.ts';
import type { UpstreamEntry } from '../upstreams/upstream-file-schema.ts';
import { createModelList } from './model-list.ts';

const minute = 60_000;

/** The response of each upstream, by its name. */
interface UpstreamResponses {
  [upstream: string]: readonly string[] | Error | Promise<readonly string[]>;
}

/** A model list with scripted upstreams and a manual clock. */
function start(
  entries: readonly UpstreamEntry[],
  responses: UpstreamResponses,
  environment: Record<string, string> = {},
) {
  const state = { settings: toGatewaySettings({ upstreams: [...entries] }, environment), at: 0 };
  const fetched: string[] = [];
  const warnings: string[] = [];
  const hits: boolean[] = [];
  const list = createModelList({
    settings: () => state.settings,
    async fetch({ name }) {
      fetched.push(name);
      const response = await responses[name];
      if (response instanceof Error) throw response;
      return (response ?? []).map((id) => ({ id }));
    },
    warn: (_fields, message) => warnings.push(message),
    observe: (isHit) => hits.push(isHit),
    now: () => state.at,
  });
  const ids = async () => (await list.all()).map(({ id }) => id);
  const upstreamsOf = async (id: string) => (await list.find(id)).map(({ upstream }) => upstream.name);
  return { state, fetched, warnings, hits, ids, upstreamsOf, responses };
}

const local = (name: string, more: Partial<UpstreamEntry> = {}): UpstreamEntry => ({
  name,
  kind: 'openai-compatible',
  base_url: `http://${name}`,
  ...more,
});

/** Lets background fetches finish. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('the model list', () => {
  it('has each routable model once, in the order of the upstreams and with their prefixes', async () => {
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

  it('has models of a later upstream that supports more dialects than an earlier one', async () => {
    const { ids } = start([local('first', { dialects: ['messages'] }), local('second')], {
      first: ['a', 'b'],
      second: ['b', 'c'],
    });
    expect(await ids()).toEqual(['a', 'b', 'c']);
  });

  it('finds a model at every upstream that calls to it can go to', async () => {
    const { upstreamsOf } = start(
      [
        local('claude', { dialects: ['messages'], models: ['a', 'b'] }),
        local('chat', { models: ['b', 'c'] }),
        local('rest', { dialects: ['chat-completions', 'responses'] }),
      ],
      { claude: ['a', 'b', 'b', 'c'], chat: ['b', 'c'], rest: ['a', 'b', 'c'] },
    );
    expect(await upstreamsOf('a')).toEqual(['claude', 'rest']);
    expect(await upstreamsOf('b')).toEqual(['claude', 'chat', 'rest']);
    expect(await upstreamsOf('c')).toEqual(['chat', 'rest']);
    expect(await upstreamsOf('d')).toEqual([]);
  });

  it('does not query an upstream without its key, and leaves out the models routed to it', async () => {
    const entries: UpstreamEntry[] = [{ name: 'keyed', kind: 'openai', models: ['a'] }, local('open')];
    const withoutKey = start(entries, { keyed: ['a'], open: ['a', 'b'] });
    // Requests for "a" would go to the upstream without a key.
    expect(await withoutKey.ids()).toEqual(['b']);
    expect(withoutKey.fetched).toEqual(['open']);
    const withKey = start(entries, { keyed: ['a'], open: ['a', 'b'] }, { OPENAI_API_KEY: 'k' });
    expect(await withKey.ids()).toEqual(['a', 'b']);
  });

  it('caches models for five minutes and then refreshes them in the background', async () => {
    const { ids, state, fetched, responses, hits } = start([local('a')], { a: ['old'] });
    expect(await ids()).toEqual(['old']);
    responses.a = ['new'];
    state.at = 5 * minute - 1;
    expect(await ids()).toEqual(['old']);
    expect(fetched).toHaveLength(1);
    state.at = 5 * minute;
    expect(await ids()).toEqual(['old']);
    await settle();
    expect(await ids()).toEqual(['new']);
    expect(fetched).toHaveLength(2);
    expect(hits).toEqual([false, true, true, true]);
  });

  it('fetches once for concurrent listings', async () => {
    const { ids, fetched } = start([local('a')], { a: ['m'] });
    expect(await Promise.all([ids(), ids(), ids()])).toEqual([['m'], ['m'], ['m']]);
    expect(fetched).toEqual(['a']);
  });

  it('keeps stale models while an upstream is down, and retries after 30 seconds', async () => {
    const { ids, state, fetched, responses, warnings } = start([local('a')], { a: ['m'] });
    await ids();
    responses.a = new Error('it is down');
    state.at = 5 * minute;
    for (let times = 0; times < 3; times++) {
      expect(await ids()).toEqual(['m']);
      await settle();
    }
    expect(fetched).toHaveLength(2);
    expect(warnings).toEqual(['cannot list the models of upstream a: it is down']);
    responses.a = ['n'];
    state.at += 30_000;
    expect(await ids()).toEqual(['m']);
    await settle();
    expect(await ids()).toEqual(['n']);
  });

  it('leaves out an upstream that was never listed, without delaying the others', async () => {
    const { ids, state, fetched, responses } = start([local('a', { models: ['n'] }), local('b')], {
      a: new Error('no'),
      b: ['m'],
    });
    expect(await ids()).toEqual(['m']);
    responses.a = ['n'];
    state.at = 29_999;
    expect(await ids()).toEqual(['m']);
    expect(fetched).toEqual(['a', 'b']);
    state.at = 30_000;
    expect(await ids()).toEqual(['n', 'm']);
  });

  it('keeps cached models across a reload unless the upstream itself changed', async () => {
    const { ids, state, fetched, responses } = start([local('a', { models: ['m'] }), local('b')], {
      a: ['m'],
      b: ['n'],
    });
    await ids();
    responses.b = ['o'];
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
    expect(fetched).toEqual(['a', 'b', 'b']);
  });
});
