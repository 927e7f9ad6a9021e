import { JsonText } from '../../api/client.ts';
import type { Workspace } from '../../api/workspaces.ts';
import { demoWorkspaces } from '../../demo/demo.ts';
import { type PersonId, people } from '../../demo/people.ts';
import { type ImportBatch, importBatches } from '../../demo/preset-story.ts';
import type { WorkspaceStory } from '../../demo/workspaces/workspace-story.ts';
import type { ApiClient, ApiConnection } from '../api-client.ts';
import { CommandError } from '../command-error.ts';
import { startProgress } from '../ui/progress.ts';
import {
  asDemoAuthor,
  type DemoAuthor,
  type DemoData,
  findDemoAuthorId,
  findDemoData,
  findMember,
  isUnfinished,
  noDemoData,
  orUndefined,
} from './demo-author.ts';

/** Ids of users. */
type PeopleIds = ReadonlyMap<PersonId, string>;

/**
 * Creates what is missing of the demo. Returns false if nothing is.
 *
 * Each step can be repeated, so that running the command again finishes what an interruption left
 * behind. A workspace is complete when the demo account has left it; complete ones are not touched,
 * whatever people changed in them.
 */
export async function fillDemo(connection: ApiConnection, admin: ApiClient): Promise<boolean> {
  const authorId = await findDemoAuthorId(admin);
  const existing = authorId === undefined ? noDemoData : await findDemoData(admin, authorId);
  await assertNothingInTheWay(admin, existing);
  const missing: WorkspaceStory[] = [];
  for (const story of demoWorkspaces) {
    const workspace = existing.workspaces.get(story.slug);
    if (!workspace || !authorId || (await isUnfinished(admin, workspace, authorId))) missing.push(story);
  }
  if (missing.length === 0 && existing.members.size >= people.size) return false;
  const progress = startProgress('Creating', 'presets');
  progress.expect(missing.reduce((sum, { presets }) => sum + presets.length, 0));
  try {
    await asDemoAuthor(connection, admin, async (author) => {
      const { api } = author;
      const ids = await addPeople(api);
      for (const story of missing) {
        const workspace = existing.workspaces.get(story.slug) ?? (await createWorkspace(api, story));
        const filler = { author, story, workspace, ids, keyIds: existing.keyIds };
        await fillWorkspace(filler, () => progress.advance(1));
        // The last step: from here on the workspace is complete.
        const call = { params: { id: workspace.id }, body: { user_ids: [author.id] } };
        await api.call('POST /workspaces/:id/members/remove', call);
      }
    });
  } finally {
    progress.finish();
  }
  return true;
}

/** Everything is checked before the first change, so that a refusal leaves nothing behind. */
async function assertNothingInTheWay(api: ApiClient, { workspaces, members }: DemoData): Promise<void> {
  const taken: string[] = [];
  const ownSlugs = new Set([...workspaces.values()].map(({ slug }) => slug));
  for (const { slug } of demoWorkspaces) {
    if (workspaces.has(slug) || ownSlugs.has(slug)) continue;
    const params = { id: slug };
    if (await orUndefined(() => api.call('GET /workspaces/:id', { params })))
      taken.push(`the workspace ${slug}`);
  }
  for (const { email } of people.values()) {
    const member = await findMember(api, email);
    if (member !== undefined && !members.has(member.id)) taken.push(`the member ${email}`);
  }
  if (taken.length === 0) return;
  throw new CommandError(
    `Nothing was created, because these exist and are not demo data: ${taken.join(', ')}. Rename or remove them first.`,
    { kind: 'conflict' },
  );
}

/**
 * New members are admins of the default workspace, for compatibility. These people only have to be
 * there, so they become viewers.
 */
async function addPeople(api: ApiClient): Promise<PeopleIds> {
  const { content } = await api.call('GET /workspaces/:id', { params: { id: 'default' } });
  const ids = new Map<PersonId, string>();
  for (const [person, { email, firstName, lastName }] of people) {
    const existing = await findMember(api, email);
    const body = { email, first_name: firstName, last_name: lastName };
    const member = existing ?? (await api.call('POST /organization/members', { body })).content.data;
    ids.set(person, member.id);
    const params = { id: content.data.id, user_id: member.id };
    await api.call('PATCH /workspaces/:id/members/:user_id', { params, body: { role: 'viewer' } });
  }
  return ids;
}

async function createWorkspace(
  api: ApiClient,
  { slug, name, description }: WorkspaceStory,
): Promise<Workspace> {
  return (await api.call('POST /workspaces', { body: { slug, name, description } })).content.data;
}

interface Filler {
  readonly author: DemoAuthor;
  readonly story: WorkspaceStory;
  readonly workspace: Workspace;
  readonly ids: PeopleIds;
  /** Keys of earlier runs, some of which may still exist. */
  readonly keyIds: ReadonlySet<string>;
}

async function fillWorkspace(filler: Filler, onPreset: () => void): Promise<void> {
  const { author, story, workspace } = filler;
  await deleteOwnKeys(filler);
  // An import requires the role admin, so everybody has it at first.
  const userIds = Object.keys(story.team).map((person) => userIdOf(filler, person as PersonId));
  const params = { id: workspace.id };
  const body = { user_ids: userIds, role: 'admin' } as const;
  await author.api.call('POST /workspaces/:id/members/add', { params, body });
  const clients = await clientsOfAuthors(filler);
  // The server's clock, and the same at each attempt.
  const now = new Date(workspace.created_at);
  for (const preset of story.presets) {
    for (const batch of importBatches(preset, now)) await importBatch(clients, batch);
    onPreset();
  }
  await author.deleteClientKeys();
  await createKeys(filler);
  await setRoles(filler);
}

/** One API key for each author: versions and drafts belong to the owner of the key that sends them. */
async function clientsOfAuthors(filler: Filler): Promise<ReadonlyMap<PersonId, ApiClient>> {
  const { author, story, workspace } = filler;
  const authors = new Set(
    story.presets.flatMap(({ versions, draft }) =>
      [...versions, ...(draft ? [draft] : [])].map(({ by }) => by),
    ),
  );
  const clients = new Map<PersonId, ApiClient>();
  for (const person of authors)
    clients.set(person, await author.createClientFor(userIdOf(filler, person), workspace.id));
  return clients;
}

async function importBatch(clients: ReadonlyMap<PersonId, ApiClient>, batch: ImportBatch): Promise<void> {
  const lines = batch.lines.map((line) => `${JSON.stringify(line)}\n`);
  const response = await clients
    .get(batch.by)
    ?.call(
      'POST /import',
      { headers: { 'content-type': 'application/x-ndjson' }, body: new JsonText(lines.join('')) },
      { isIdempotent: true },
    );
  // Ahead: somebody works on a preset of an interrupted run already. A conflict cannot be resolved.
  const conflict = response?.content.data.find(({ outcome }) => outcome === 'conflict');
  if (conflict !== undefined)
    throw new CommandError(
      `The demo preset ${conflict.slug} could not be created: ${conflict.message} Run "presetd demo --clean" and try again.`,
      { kind: 'conflict' },
    );
}

/** Of an attempt that was interrupted. */
async function deleteOwnKeys({ author, workspace, keyIds }: Filler): Promise<void> {
  if (keyIds.size === 0) return;
  const query = { workspace_id: workspace.id, include_disabled: true };
  const { content } = await author.api.call('GET /keys', { query });
  for (const { hash } of content.data)
    if (keyIds.has(hash)) await author.api.call('DELETE /keys/:hash', { params: { hash } });
}

async function createKeys(filler: Filler): Promise<void> {
  const { author, story, workspace } = filler;
  for (const { name, owner, scope, presets, daysLeft } of story.keys) {
    await author.api.call('POST /keys', {
      body: {
        name,
        scope,
        workspace_id: workspace.id,
        creator_user_id: userIdOf(filler, owner),
        ...(presets && { presets: [...presets] }),
        ...(daysLeft && { expires_at: new Date(Date.now() + daysLeft * 86_400_000).toISOString() }),
      },
    });
  }
}

async function setRoles(filler: Filler): Promise<void> {
  const { author, story, workspace } = filler;
  for (const [person, role] of Object.entries(story.team)) {
    const params = { id: workspace.id, user_id: userIdOf(filler, person as PersonId) };
    await author.api.call('PATCH /workspaces/:id/members/:user_id', { params, body: { role } });
  }
}

function userIdOf({ ids }: Filler, person: PersonId): string {
  const id = ids.get(person);
  if (id === undefined) throw new Error(`${person} was not added.`);
  return id;
}
