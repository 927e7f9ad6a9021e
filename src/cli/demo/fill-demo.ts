import { subjectOfKey } from '../../core/budgets/key-limit.ts';
import { newId } from '../../core/identifiers.ts';
import { arrivalOf, type CallRecord } from '../../core/ledger/call-record.ts';
import type { Dialect } from '../../core/presets/preset.ts';
import type { Storage } from '../../core/storage.ts';
import { demoCounts, demoWorkspaces } from '../../demo/demo.ts';
import { callsFrom, runsBefore } from '../../demo/month-of-calls.ts';
import { type PersonId, people } from '../../demo/people.ts';
import { draftOf, type PresetStory, type SavedVersion, versionsOf } from '../../demo/preset-story.ts';
import type { KeyStory, WorkspaceStory } from '../../demo/workspaces/workspace-story.ts';
import { type ApiClient, createApiClient } from '../api-client.ts';
import { startProgress } from '../ui/progress.ts';
import type { StoryClock } from './story-clock.ts';

/** An empty server to fill. */
interface EmptyServer {
  readonly url: string;
  /** Of its owner. */
  readonly managementKey: string;
  readonly storage: Storage;
  readonly clock: StoryClock;
}

/**
 * Fills an empty server with the demo. People, presets and keys are created through its API, in the
 * name of the people and at the time of the story; calls are written to the ledger. Returns how
 * many there are.
 */
export async function fillDemo({ url, managementKey, storage, clock }: EmptyServer): Promise<number> {
  const connect = (key: string) =>
    createApiClient({ url, urlSetting: 'the demo', key, keySetting: 'the demo' });
  const owner = connect(managementKey);
  const now = new Date();
  const progress = startProgress('Creating', ['preset', 'presets']);
  progress.expect(demoCounts.presets);
  try {
    clock.set(new Date(Math.min(...demoWorkspaces.map((story) => foundedAt(story, now).getTime()))));
    const colleagues = await addPeople(owner, connect);
    const filling = { owner, colleagues, storage, clock, now, onPreset: () => progress.advance(1) };
    const calls: CallRecord[] = [];
    for (const story of demoWorkspaces) calls.push(...(await createWorkspace(filling, story)));
    await storeCalls(storage, calls);
    await storage.keys.recordLastUses(
      new Map(
        [...colleagues.values()].flatMap(({ hash, lastActive }) =>
          lastActive === undefined ? [] : [[hash, lastActive.toISOString()]],
        ),
      ),
      0,
    );
    clock.set(new Date(now.getTime() - daysMs(200)));
    for (const { hash } of colleagues.values()) await owner.call('DELETE /keys/:hash', { params: { hash } });
    return calls.length;
  } finally {
    clock.release();
    progress.finish();
  }
}

/** A person of the demo, with a key for as long as the demo is being filled. */
interface Colleague {
  readonly id: string;
  /** Versions and drafts belong to the owner of the key that sends them. */
  readonly api: ApiClient;
  readonly hash: string;
  /** Undefined until they have saved something. */
  lastActive?: Date;
}

type Colleagues = ReadonlyMap<PersonId, Colleague>;

/**
 * New members are admins of the default workspace, for compatibility. These people only have to be
 * there, so they become viewers.
 */
async function addPeople(owner: ApiClient, connect: (key: string) => ApiClient): Promise<Colleagues> {
  const { content } = await owner.call('GET /workspaces/:id', { params: { id: 'default' } });
  const colleagues = new Map<PersonId, Colleague>();
  for (const [person, { email, firstName, lastName }] of people) {
    const member = { email, first_name: firstName, last_name: lastName };
    const { id } = (await owner.call('POST /organization/members', { body: member })).content.data;
    const params = { id: content.data.id, user_id: id };
    await owner.call('PATCH /workspaces/:id/members/:user_id', { params, body: { role: 'viewer' } });
    const key = { name: 'Temporary', kind: 'management', creator_user_id: id } as const;
    const created = (await owner.call('POST /keys', { body: key })).content;
    const { hash } = created.data;
    colleagues.set(person, { id, api: connect(created.key), hash });
  }
  return colleagues;
}

interface Filling {
  readonly owner: ApiClient;
  readonly colleagues: Colleagues;
  readonly storage: Storage;
  readonly clock: StoryClock;
  readonly now: Date;
  readonly onPreset: () => void;
}

interface Place {
  readonly organizationId: string;
  readonly workspaceId: string;
}

/** Returns its calls. Going live requires the role admin, so everybody has it at first. */
async function createWorkspace(filling: Filling, story: WorkspaceStory): Promise<readonly CallRecord[]> {
  const { owner, storage, clock, now, onPreset } = filling;
  const { slug, name, description } = story;
  const founded = foundedAt(story, now);
  clock.set(founded);
  const { content } = await owner.call('POST /workspaces', { body: { slug, name, description } });
  const { id } = content.data;
  const body = { user_ids: teamOf(filling, story).map(({ userId }) => userId), role: 'admin' } as const;
  await owner.call('POST /workspaces/:id/members/add', { params: { id }, body });
  const organizationId = (await storage.organizations.first())?.organization.id ?? '';
  const place = { organizationId, workspaceId: id };
  const presets = new Map<string, string>();
  const calls: CallRecord[] = [];
  for (const preset of story.presets) {
    const { presetId, runs } = await createPreset(filling, place, preset);
    presets.set(preset.slug, presetId);
    calls.push(...runs);
    onPreset();
  }
  clock.set(later(founded, 5));
  await setRoles(filling, story, id);
  for (const [index, key] of story.keys.entries()) {
    clock.set(new Date(now.getTime() - daysMs(95 - 17 * index)));
    calls.push(...(await createKey(filling, place, story, presets, key)));
  }
  return calls;
}

/** The day before its first version. */
function foundedAt({ presets }: WorkspaceStory, now: Date): Date {
  const first = presets.flatMap(({ versions }) => versions.map(({ daysAgo }) => daysAgo));
  return new Date(now.getTime() - daysMs(Math.max(...first) + 1));
}

const saveRoutes = {
  'chat-completions': 'POST /presets/:slug/chat/completions',
  messages: 'POST /presets/:slug/messages',
  responses: 'POST /presets/:slug/responses',
} as const satisfies Readonly<Record<Dialect, string>>;

/** Saves the versions with all that belongs to them. Returns the workbench runs before each. */
async function createPreset(filling: Filling, place: Place, story: PresetStory) {
  const { clock, now } = filling;
  const { slug, dialect = 'chat-completions', labels = {}, cases = [] } = story;
  const query = { workspace_id: place.workspaceId };
  const versions = versionsOf(story, now);
  const runs: CallRecord[] = [];
  let presetId: string | null = null;
  for (const version of versions) {
    const { number, by, savedAt, request } = version;
    const author = colleagueOf(filling, by);
    noteActivity(author, savedAt);
    clock.set(savedAt);
    const saved = await author.api.call(saveRoutes[dialect], { params: { slug }, query, body: request });
    presetId = saved.content.data.id;
    if (number === 1) await describe(filling, place, story);
    for (const [label, target] of Object.entries(labels)) {
      const params = { slug, label };
      if (target === number)
        await author.api.call('PUT /presets/:slug/labels/:label', {
          params,
          query,
          body: { version: number },
        });
    }
    // A case after each version, and what is left after the newest.
    const last = number === versions.length ? cases.length : number;
    for (const [index, { name, says, variables, note }] of cases.slice(number - 1, last).entries()) {
      clock.set(later(savedAt, 3 + 2 * index));
      const messages = typeof says === 'string' ? [{ role: 'user' as const, content: says }] : says;
      const body = { messages, ...(variables && { variables }), ...(note !== undefined && { note }) };
      await author.api.call('PUT /presets/:slug/cases/:name', { params: { slug, name }, query, body });
    }
    if (now.getTime() - savedAt.getTime() < daysMs(30))
      runs.push(...runsBefore(story, version, { ...place, userId: author.id }));
  }
  await retire(filling, place, story, versions);
  await saveDraft(filling, place, story);
  return { presetId: presetId ?? '', runs };
}

async function describe(filling: Filling, place: Place, story: PresetStory): Promise<void> {
  const { slug, name, description, tags, aliases = [], versions } = story;
  const { api } = colleagueOf(filling, versions[0]?.by);
  const query = { workspace_id: place.workspaceId };
  await api.call('PATCH /presets/:slug', {
    params: { slug },
    query,
    body: { name, description, tags: [...tags] },
  });
  for (const alias of aliases)
    await api.call('PUT /presets/:slug/aliases/:alias', { params: { slug, alias }, query });
}

/** A preset that is no longer used was disabled or archived 3 weeks after its last version. */
async function retire(
  filling: Filling,
  { workspaceId }: Place,
  { slug, status = 'active' }: PresetStory,
  versions: readonly SavedVersion[],
): Promise<void> {
  const last = versions.at(-1);
  if (status === 'active' || last === undefined) return;
  const { api } = colleagueOf(filling, last.by);
  filling.clock.set(later(last.savedAt, 21 * 24 * 60));
  const target = { params: { slug }, query: { workspace_id: workspaceId } };
  if (status === 'archived') await api.call('DELETE /presets/:slug', target);
  else await api.call('PATCH /presets/:slug', { ...target, body: { status } });
}

async function saveDraft(filling: Filling, { workspaceId }: Place, story: PresetStory): Promise<void> {
  const draft = draftOf(story, filling.now);
  if (draft === undefined) return;
  const { slug, dialect = 'chat-completions', versions } = story;
  const author = colleagueOf(filling, draft.by);
  noteActivity(author, draft.savedAt);
  filling.clock.set(draft.savedAt);
  await author.api.call('PUT /presets/:slug/draft', {
    params: { slug },
    query: { workspace_id: workspaceId },
    body: { text: draft.text, dialect, base_version: versions.length },
  });
}

async function setRoles(filling: Filling, story: WorkspaceStory, workspaceId: string): Promise<void> {
  for (const { userId, role } of teamOf(filling, story)) {
    const params = { id: workspaceId, user_id: userId };
    await filling.owner.call('PATCH /workspaces/:id/members/:user_id', { params, body: { role } });
  }
}

/** Returns the calls with the key. */
async function createKey(
  { owner, storage, now, ...filling }: Filling,
  place: Place,
  workspace: WorkspaceStory,
  presets: ReadonlyMap<string, string>,
  story: KeyStory,
): Promise<readonly CallRecord[]> {
  const { name, scope, daysLeft, usedDaysAgo, calls = {}, rhythm = 'office', streams = false } = story;
  const userId = colleagueOf(filling, story.owner).id;
  const { content } = await owner.call('POST /keys', {
    body: {
      name,
      scope,
      workspace_id: place.workspaceId,
      creator_user_id: userId,
      ...(story.presets && { presets: [...story.presets] }),
      ...(daysLeft && { expires_at: new Date(now.getTime() + daysMs(daysLeft)).toISOString() }),
    },
  });
  const keyId = content.data.hash;
  if (usedDaysAgo !== undefined) {
    const usedAt = new Date(now.getTime() - daysMs(usedDaysAgo)).toISOString();
    await storage.keys.recordLastUses(new Map([[keyId, usedAt]]), 0);
  }
  return Object.entries(calls).flatMap(([reference, callsPerDay]) => {
    const [slug, label = null] = reference.split(':');
    const preset = workspace.presets.find((each) => each.slug === slug);
    const presetId = presets.get(slug ?? '');
    if (preset === undefined || presetId === undefined) throw new Error(`${name} calls no preset: ${slug}`);
    const ids = { ...place, keyId, userId, presetId };
    return callsFrom({ ids, preset, label, callsPerDay, rhythm, isStreamed: streams }, now);
  });
}

/** Larger than those of a server: nothing else waits. */
const callsPerBatch = 2_000;

/** Writes the calls in the order of their arrival, and when keys and presets were used last. */
async function storeCalls(storage: Storage, unsorted: readonly CallRecord[]): Promise<void> {
  const calls = unsorted.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  for (let start = 0; start < calls.length; start += callsPerBatch)
    await storage.ledger.write({ id: newId(), calls: calls.slice(start, start + callsPerBatch) }, true);
  await countSpending(storage, calls);
  const keys = new Map<string, string>();
  const presets = new Map<string, string>();
  for (const { id, group } of calls) {
    const at = new Date(arrivalOf(id)).toISOString();
    if (group.keyId !== null) keys.set(group.keyId, at);
    if (group.presetId !== null) presets.set(group.presetId, at);
  }
  await storage.keys.recordLastUses(keys, 0);
  await storage.presetCalls.recordLastUses(presets);
}

/** Reports what keys have spent, a day at a time. */
async function countSpending({ spending }: Storage, calls: readonly CallRecord[]): Promise<void> {
  const days = Map.groupBy(calls, ({ id }) => Math.floor(arrivalOf(id) / daysMs(1)));
  for (const [day, ofDay] of days) {
    const byKey = Map.groupBy(ofDay, ({ group }) => group.keyId);
    byKey.delete(null);
    const reports = [...byKey].map(([keyId, ofKey]) => ({
      subject: subjectOfKey(keyId ?? ''),
      limit: null,
      spent: ofKey.reduce((sum, { cost }) => sum + (cost.nanos ?? 0), 0),
      inFlight: 0,
      kept: 0,
      wanted: [],
      isActive: false,
    }));
    await spending.report({ id: newId(), holder: 'demo', reports }, day * daysMs(1));
  }
}

function noteActivity(colleague: Colleague, at: Date): void {
  if (colleague.lastActive === undefined || at > colleague.lastActive) colleague.lastActive = at;
}

function teamOf(filling: Filling, { team }: WorkspaceStory) {
  return Object.entries(team).map(([person, role]) => ({
    role,
    userId: colleagueOf(filling, person as PersonId).id,
  }));
}

function colleagueOf({ colleagues }: Pick<Filling, 'colleagues'>, person: PersonId | undefined): Colleague {
  const colleague = person && colleagues.get(person);
  if (colleague === undefined) throw new Error(`${person} was not added.`);
  return colleague;
}

function daysMs(days: number): number {
  return days * 86_400_000;
}

function later(time: Date, minutes: number): Date {
  return new Date(time.getTime() + minutes * 60_000);
}
