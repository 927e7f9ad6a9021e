import { JsonText } from '../../api/client.ts';
import { demoCounts, demoWorkspaces } from '../../demo/demo.ts';
import { type PersonId, people } from '../../demo/people.ts';
import { type ImportBatch, importBatches } from '../../demo/preset-story.ts';
import type { WorkspaceStory } from '../../demo/workspaces/workspace-story.ts';
import { type ApiClient, createApiClient } from '../api-client.ts';
import { startProgress } from '../ui/progress.ts';

/** Fills an empty server with the demo through its API, with the management key of its owner. */
export async function fillDemo(url: string, managementKey: string): Promise<void> {
  const connect = (key: string) =>
    createApiClient({ url, urlSetting: 'the demo', key, keySetting: 'the demo' });
  const owner = connect(managementKey);
  const now = new Date();
  const progress = startProgress('Creating', 'presets');
  progress.expect(demoCounts.presets);
  try {
    const colleagues = await addPeople(owner, connect);
    const filling = { owner, colleagues, now, onPreset: () => progress.advance(1) };
    const ids = new Map<WorkspaceStory, string>();
    for (const story of demoWorkspaces) ids.set(story, await createWorkspace(filling, story));
    // Before the last steps, so that the newest entries of the audit log are worth reading.
    for (const { hash } of colleagues.values()) await owner.call('DELETE /keys/:hash', { params: { hash } });
    for (const [story, id] of ids) {
      await setRoles(filling, story, id);
      await createKeys(filling, story, id);
    }
  } finally {
    progress.finish();
  }
}

/** A person of the demo, with a key for as long as the demo is being filled. */
interface Colleague {
  readonly id: string;
  /** Versions and drafts belong to the owner of the key that sends them. */
  readonly api: ApiClient;
  readonly hash: string;
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
    colleagues.set(person, { id, api: connect(created.key), hash: created.data.hash });
  }
  return colleagues;
}

interface Filling {
  readonly owner: ApiClient;
  readonly colleagues: Colleagues;
  readonly now: Date;
  readonly onPreset: () => void;
}

/** Returns the id of the workspace. An import requires the role admin, so everybody has it at first. */
async function createWorkspace(filling: Filling, story: WorkspaceStory): Promise<string> {
  const { owner, now, onPreset } = filling;
  const { slug, name, description } = story;
  const { content } = await owner.call('POST /workspaces', { body: { slug, name, description } });
  const { id } = content.data;
  const body = { user_ids: teamOf(filling, story).map(({ userId }) => userId), role: 'admin' } as const;
  await owner.call('POST /workspaces/:id/members/add', { params: { id }, body });
  for (const preset of story.presets) {
    for (const batch of importBatches(preset, now))
      await importBatch(colleagueOf(filling, batch.by), id, batch);
    onPreset();
  }
  return id;
}

async function importBatch({ api }: Colleague, workspaceId: string, { lines }: ImportBatch): Promise<void> {
  const { content } = await api.call('POST /import', {
    query: { workspace_id: workspaceId },
    headers: { 'content-type': 'application/x-ndjson' },
    body: new JsonText(lines.map((line) => `${JSON.stringify(line)}\n`).join('')),
  });
  const conflict = content.data.find(({ outcome }) => outcome === 'conflict');
  if (conflict !== undefined)
    throw new Error(`The demo preset ${conflict.slug} could not be created: ${conflict.message}`);
}

async function setRoles(filling: Filling, story: WorkspaceStory, workspaceId: string): Promise<void> {
  for (const { userId, role } of teamOf(filling, story)) {
    const params = { id: workspaceId, user_id: userId };
    await filling.owner.call('PATCH /workspaces/:id/members/:user_id', { params, body: { role } });
  }
}

async function createKeys(filling: Filling, story: WorkspaceStory, workspaceId: string): Promise<void> {
  for (const { name, owner, scope, presets, daysLeft } of story.keys) {
    await filling.owner.call('POST /keys', {
      body: {
        name,
        scope,
        workspace_id: workspaceId,
        creator_user_id: colleagueOf(filling, owner).id,
        ...(presets && { presets: [...presets] }),
        ...(daysLeft && {
          expires_at: new Date(filling.now.getTime() + daysLeft * 86_400_000).toISOString(),
        }),
      },
    });
  }
}

function teamOf(filling: Filling, { team }: WorkspaceStory) {
  return Object.entries(team).map(([person, role]) => ({
    role,
    userId: colleagueOf(filling, person as PersonId).id,
  }));
}

function colleagueOf({ colleagues }: Filling, person: PersonId): Colleague {
  const colleague = colleagues.get(person);
  if (colleague === undefined) throw new Error(`${person} was not added.`);
  return colleague;
}
