import { apiKey, managementKey } from '../database.ts';
import type { LoadRequest } from '../load.ts';
import {
  commonPromptWord,
  commonWord,
  halfWords,
  personOf,
  presetRequest,
  rarePromptWord,
  rareWord,
  type Size,
  slugOf,
  tenthWords,
} from './population.ts';

/** A request that is measured on a small and a large database. */
export interface Operation {
  readonly name: string;
  readonly description: string;
  /**
   * Whether the server caches presets, as it does by default, or has to read each from the
   * database.
   */
  readonly cache: 'on' | 'off';
  /** Run over a single connection, a few times. */
  readonly isSlow?: boolean;
  /** Returns a different request for each iteration, which counts from 1. */
  request(iteration: number, size: Size): LoadRequest;
}

/** Operations on cached presets request only this many. */
const cachedPresets = 100;

const key = { authorization: `Bearer ${apiKey}` };
const asJson = { ...key, 'content-type': 'application/json' };

/** A slug from all over the database, different for each iteration. */
const anySlug = (iteration: number, size: Size) => slugOf(spread(iteration, size.presets), size);
/** One of the first slugs, which are in the cache after the warm-up. */
const cachedSlug = (iteration: number, size: Size) =>
  slugOf(iteration % Math.min(cachedPresets, size.presets), size);

const get = (path: string): LoadRequest => ({ method: 'GET', path: `/api/v1${path}`, headers: key });
const search = (q: string) => () => get(`/presets?q=${encodeURIComponent(q)}`);
const members = (offset: number): LoadRequest => ({
  method: 'GET',
  path: `/api/v1/organization/members?limit=50&offset=${offset}`,
  headers: { authorization: `Bearer ${managementKey}` },
});
const searchMembers = (q: string): LoadRequest => ({
  ...members(0),
  path: `/api/v1/organization/members?limit=50&q=${encodeURIComponent(q)}`,
});
/** The part of the email address that is unique to one member. */
const lastWordOf = (index: number) => personOf(index).email.split(/[-@]/)[1] ?? '';
/** An inference call that gets everything but the question from the preset. */
const call = (slug: string): LoadRequest => ({
  method: 'POST',
  path: '/api/v1/chat/completions',
  headers: asJson,
  body: JSON.stringify({
    model: `@preset/${slug}`,
    messages: [{ role: 'user', content: 'Where is my order?' }],
  }),
});
const create = (slug: string, iteration: number): LoadRequest => ({
  method: 'POST',
  path: `/api/v1/presets/${slug}/chat/completions`,
  headers: asJson,
  body: JSON.stringify(presetRequest(`Number ${iteration}.`)),
});

/**
 * Operations whose cost should not depend on the size. Creates come last, because they enlarge the
 * databases.
 */
export const operations: readonly Operation[] = [
  {
    name: 'get',
    description: 'a cached preset',
    cache: 'on',
    request: (iteration, size) => get(`/presets/${cachedSlug(iteration, size)}`),
  },
  {
    name: 'get-cold',
    description: 'any preset, uncached',
    cache: 'off',
    request: (iteration, size) => get(`/presets/${anySlug(iteration, size)}`),
  },
  { name: 'list', description: 'the first 50 presets', cache: 'on', request: () => get('/presets') },
  {
    name: 'search-rare',
    description: 'a word that 10 presets have',
    cache: 'on',
    request: search(rareWord),
  },
  {
    name: 'search-tenth',
    description: 'a word that a tenth of the presets have',
    cache: 'on',
    request: (iteration) => search(tenthWords[iteration % tenthWords.length] ?? '')(),
  },
  {
    name: 'search-every',
    description: 'a word that every preset has',
    cache: 'on',
    request: search(commonWord),
  },
  {
    name: 'search-typed',
    description: 'prefixes of two common words',
    cache: 'on',
    request: search(`${halfWords[0].slice(0, 3)} ${commonWord.slice(0, 2)}`),
  },
  {
    name: 'search-prompt-rare',
    description: 'a word that 10 prompts have',
    cache: 'on',
    request: search(rarePromptWord),
  },
  {
    name: 'search-prompt-every',
    description: 'a word that every prompt has',
    cache: 'on',
    request: search(commonPromptWord),
  },
  {
    name: 'resolve',
    description: 'a call through a cached preset',
    cache: 'on',
    request: (iteration, size) => call(cachedSlug(iteration, size)),
  },
  {
    name: 'resolve-cold',
    description: 'a call through any preset, uncached',
    cache: 'off',
    request: (iteration, size) => call(anySlug(iteration, size)),
  },
  { name: 'members', description: 'the first 50 members', cache: 'on', request: () => members(0) },
  {
    name: 'member-search-rare',
    description: 'one member by name and part of the address',
    cache: 'on',
    request: (iteration, size) =>
      searchMembers(`first ${lastWordOf(spread(iteration, size.members - 1) + 1)}`),
  },
  {
    name: 'member-search-every',
    description: 'a name that every member has',
    cache: 'on',
    request: () => searchMembers('firstname'),
  },
  {
    name: 'member-search-typed',
    description: 'prefixes of two names that every member has',
    cache: 'on',
    request: () => searchMembers('fir las'),
  },
  {
    name: 'create-version',
    description: 'the next version of any preset',
    cache: 'on',
    request: (iteration, size) => create(anySlug(iteration, size), iteration),
  },
  {
    name: 'create',
    description: 'a new preset',
    cache: 'on',
    request: (iteration, size) =>
      create(
        `${slugOf(iteration, size)}-${runId}${spread(iteration, 4_294_967_296).toString(36)}`,
        iteration,
      ),
  },
];

/**
 * Operations whose cost is known to grow: pages far down a list, and two common words that no
 * preset combines.
 */
export const growingOperations: readonly Operation[] = [
  {
    name: 'list-deep',
    description: '50 presets, nine tenths down the list',
    cache: 'on',
    isSlow: true,
    request: (_, size) => get(`/presets?offset=${Math.floor(size.presets * 0.9)}`),
  },
  {
    name: 'members-deep',
    description: '50 members, nine tenths down the list',
    cache: 'on',
    isSlow: true,
    request: (_, size) => members(Math.floor(size.members * 0.9)),
  },
  {
    name: 'search-never',
    description: 'two common words that no preset combines',
    cache: 'on',
    isSlow: true,
    request: search(`${tenthWords[0]} ${halfWords[1]}`),
  },
];

/** Makes the slugs of new presets unique to this run. */
const runId = Date.now().toString(36);

/**
 * Visits all numbers below the count in scattered order, so that neighbors are not requested one
 * after the other.
 */
function spread(iteration: number, count: number): number {
  return Number((BigInt(iteration) * 2_654_435_761n) % BigInt(count));
}
