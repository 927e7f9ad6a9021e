import { apiKey, managementKey } from '../database.ts';
import type { LoadRequest } from '../load.ts';
import {
  everyPreset,
  half,
  personOf,
  presetRequest,
  type Size,
  slugOf,
  tenPresets,
  tenth,
} from './population.ts';

/** What is asked of a small and of a large database. */
export interface Operation {
  readonly name: string;
  readonly what: string;
  /** Whether the servers remember presets, as they do, or have no room for any and so ask the database each time. */
  readonly memory: 'presets' | 'none';
  /** Asked by one connection alone, a few times. */
  readonly isSlow?: boolean;
  /** Makes requests that differ from one another; `turn` counts them from 0. */
  request(turn: number, size: Size): LoadRequest;
}

/** Only these are asked for by operations on presets in memory. */
const presetsInUse = 100;

const key = { authorization: `Bearer ${apiKey}` };
const asJson = { ...key, 'content-type': 'application/json' };

const anySlug = (turn: number, size: Size) => slugOf(spread(turn, size.presets), size);
const slugInUse = (turn: number, size: Size) => slugOf(turn % Math.min(presetsInUse, size.presets), size);

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
/** The part of the address that is unique to one member. */
const lastWordOf = (index: number) => personOf(index).email.split(/[-@]/)[1] ?? '';
const call = (slug: string): LoadRequest => ({
  method: 'POST',
  path: '/api/v1/chat/completions',
  headers: asJson,
  body: JSON.stringify({
    model: `@preset/${slug}`,
    messages: [{ role: 'user', content: 'Where is my order?' }],
  }),
});
const create = (slug: string, turn: number): LoadRequest => ({
  method: 'POST',
  path: `/api/v1/presets/${slug}/chat/completions`,
  headers: asJson,
  body: JSON.stringify(presetRequest(`Number ${turn}.`)),
});

/** Creates come last: they make the databases larger. */
export const operations: readonly Operation[] = [
  {
    name: 'get',
    what: 'a preset that is in memory',
    memory: 'presets',
    request: (turn, size) => get(`/presets/${slugInUse(turn, size)}`),
  },
  {
    name: 'get-cold',
    what: 'any preset, from the database',
    memory: 'none',
    request: (turn, size) => get(`/presets/${anySlug(turn, size)}`),
  },
  { name: 'list', what: 'the first 50 presets', memory: 'presets', request: () => get('/presets') },
  {
    name: 'search-rare',
    what: 'a word of 10 presets',
    memory: 'presets',
    request: search(tenPresets),
  },
  {
    name: 'search-tenth',
    what: 'words of every tenth preset',
    memory: 'presets',
    request: (turn) => search(tenth[turn % tenth.length] ?? '')(),
  },
  { name: 'search-every', what: 'a word of every preset', memory: 'presets', request: search(everyPreset) },
  {
    name: 'search-typed',
    what: 'the beginnings of two common words',
    memory: 'presets',
    request: search(`${half[0].slice(0, 3)} ${everyPreset.slice(0, 2)}`),
  },
  {
    name: 'resolve',
    what: 'a call through a preset that is in memory',
    memory: 'presets',
    request: (turn, size) => call(slugInUse(turn, size)),
  },
  {
    name: 'resolve-cold',
    what: 'a call through any preset, from the database',
    memory: 'none',
    request: (turn, size) => call(anySlug(turn, size)),
  },
  { name: 'members', what: 'the first 50 members', memory: 'presets', request: () => members(0) },
  {
    name: 'member-search-rare',
    what: 'one member by name and part of the address',
    memory: 'presets',
    request: (turn, size) => searchMembers(`first ${lastWordOf(spread(turn, size.members - 1) + 1)}`),
  },
  {
    name: 'member-search-every',
    what: 'a name of every member',
    memory: 'presets',
    request: () => searchMembers('firstname'),
  },
  {
    name: 'member-search-typed',
    what: 'the beginnings of two names of every member',
    memory: 'presets',
    request: () => searchMembers('fir las'),
  },
  {
    name: 'create-version',
    what: 'the next version of any preset',
    memory: 'presets',
    request: (turn, size) => create(anySlug(turn, size), turn),
  },
  {
    name: 'create',
    what: 'a new preset',
    memory: 'presets',
    request: (turn, size) =>
      create(`${slugOf(turn, size)}-${runName}${spread(turn, 4_294_967_296).toString(36)}`, turn),
  },
];

/** Known to grow, and told beside the others: what is far down a list, and two common words that no preset has both of. */
export const growing: readonly Operation[] = [
  {
    name: 'list-deep',
    what: '50 presets after nine tenths of them',
    memory: 'presets',
    isSlow: true,
    request: (_, size) => get(`/presets?offset=${Math.floor(size.presets * 0.9)}`),
  },
  {
    name: 'members-deep',
    what: '50 members after nine tenths of them',
    memory: 'presets',
    isSlow: true,
    request: (_, size) => members(Math.floor(size.members * 0.9)),
  },
  {
    name: 'search-never',
    what: 'two common words that never meet',
    memory: 'presets',
    isSlow: true,
    request: search(`${tenth[0]} ${half[1]}`),
  },
];

const runName = Date.now().toString(36);

/** Goes through all numbers below the count in no order, so that neighbours are not asked for one after the other. */
function spread(turn: number, count: number): number {
  return Number((BigInt(turn) * 2_654_435_761n) % BigInt(count));
}
