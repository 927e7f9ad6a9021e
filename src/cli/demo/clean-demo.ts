import type { Person } from '../../api/people.ts';
import type { Workspace } from '../../api/workspaces.ts';
import { people } from '../../demo/people.ts';
import type { ApiClient, ApiConnection } from '../api-client.ts';
import { CommandError } from '../command-error.ts';
import { startProgress } from '../ui/progress.ts';
import { pluralize } from '../ui/text.ts';
import {
  asDemoAuthor,
  auditEvents,
  type DemoData,
  findDemoAuthorId,
  findDemoData,
  findMember,
  isUnfinished,
  orUndefined,
} from './demo-author.ts';

/**
 * Removes the demo. Returns false if there is none. What people changed in its workspaces, and the
 * access of those who have become real users, would be lost, so that takes `isConfirmed`.
 *
 * Presets are never deleted, but a deleted workspace is out of reach together with its presets and
 * its slug is free again. The demo account is removed last: until then, the command can be repeated.
 */
export async function cleanDemo(
  connection: ApiConnection,
  admin: ApiClient,
  isConfirmed: boolean,
): Promise<boolean> {
  const authorId = await findDemoAuthorId(admin);
  if (authorId === undefined) return false;
  const data = await findDemoData(admin, authorId);
  const isMember = (await findMember(admin, authorId)) !== undefined;
  if (!isMember && data.workspaces.size + data.members.size === 0) return false;
  if (!isConfirmed) await assertUnchanged(admin, data, authorId);
  const progress = startProgress('Removing', 'workspaces and people');
  progress.expect(data.workspaces.size + data.members.size);
  try {
    await asDemoAuthor(connection, admin, async ({ api }) => {
      for (const hash of data.keyIds)
        await orUndefined(() => api.call('DELETE /keys/:hash', { params: { hash } }));
      for (const { id } of data.workspaces.values()) {
        await deleteWorkspace(api, id);
        progress.advance(1);
      }
      for (const id of data.members.keys()) {
        await api.call('DELETE /organization/members/:id', { params: { id } });
        progress.advance(1);
      }
    });
    await admin.call('DELETE /organization/members/:id', { params: { id: authorId } });
  } finally {
    progress.finish();
  }
  return true;
}

/** Active keys block the deletion, also those that a visitor created. */
async function deleteWorkspace(api: ApiClient, id: string): Promise<void> {
  const hashes: string[] = [];
  for (let isLast = false; !isLast; ) {
    const { content } = await api.call('GET /keys', { query: { workspace_id: id, offset: hashes.length } });
    hashes.push(...content.data.map((key) => key.hash));
    isLast = content.data.length === 0;
  }
  for (const hash of hashes) await api.call('DELETE /keys/:hash', { params: { hash } });
  await api.call('DELETE /workspaces/:id', { params: { id } });
}

async function assertUnchanged(api: ApiClient, data: DemoData, authorId: string): Promise<void> {
  const found: string[] = await changedPeople(api, data);
  for (const workspace of data.workspaces.values()) {
    const changes = await changesIn(api, workspace, data, authorId);
    const drafts = await draftsIn(api, workspace, data);
    const parts = [
      ...(changes > 0 ? [pluralize(changes, 'change')] : []),
      ...(drafts > 0 ? [pluralize(drafts, 'draft')] : []),
    ];
    if (parts.length > 0) found.push(`${workspace.name} (${workspace.slug}): ${parts.join(', ')}`);
  }
  if (found.length === 0) return;
  throw new CommandError(
    [
      'Nothing was removed, because the demo has changed since it was created:',
      ...found.map((line) => `  ${line}`),
      'Run "presetd demo --clean --yes" to remove that too.',
    ].join('\n'),
    { kind: 'conflict' },
  );
}

/** Describes the people of the demo whom somebody seems to use as accounts of their own. */
async function changedPeople(api: ApiClient, { members, workspaces }: DemoData): Promise<string[]> {
  const addresses = new Set([...people.values()].map(({ email }) => email));
  const demoIds = new Set([...workspaces.values()].map(({ id }) => id));
  const keyOwners = await ownersOfOtherKeys(api);
  const found: string[] = [];
  for (const id of members.keys()) {
    const person = (await api.call('GET /organization/people/:id', { params: { id } })).content.data;
    const others = person.workspaces.filter(
      ({ id, slug, role }) => !demoIds.has(id) && !(slug === 'default' && role === 'viewer'),
    );
    const changes = [
      ...(addresses.has(person.email) ? [] : ['another address']),
      // An org:admin is an admin of every workspace.
      ...(person.role === 'org:admin'
        ? ['an org:admin']
        : others.map(({ slug, role }) => `${role} of ${slug}`)),
      ...((await canSignIn(api, person)) ? ['can sign in'] : []),
      ...(keyOwners.has(id) ? ['has a key outside the demo'] : []),
    ];
    const name = `${person.first_name} ${person.last_name}`;
    if (changes.length > 0) found.push(`${name} (${person.email}): ${changes.join(', ')}`);
  }
  return found;
}

/** Not `status`: the temporary keys of the demo make people active. */
async function canSignIn(api: ApiClient, { id, has_password, providers }: Person): Promise<boolean> {
  if (has_password || providers?.length) return true;
  const { content } = await api.call('GET /organization/people/:id/sessions', { params: { id } });
  return content.data.length > 0;
}

/**
 * Owners of management keys and of keys of the default workspace. In any other workspace, a key
 * requires a role.
 */
async function ownersOfOtherKeys(api: ApiClient): Promise<ReadonlySet<string>> {
  const owners = new Set<string>();
  for (let offset = 0, isLast = false; !isLast; ) {
    const { data } = (await api.call('GET /keys', { query: { offset } })).content;
    for (const key of data) owners.add(key.creator_user_id);
    offset += data.length;
    isLast = data.length === 0;
  }
  return owners;
}

/**
 * Events since the demo account left the workspace. If it never did, filling was interrupted, and
 * the newest events may be those of the people in whose names it wrote.
 */
async function changesIn(
  api: ApiClient,
  workspace: Workspace,
  { members }: DemoData,
  authorId: string,
): Promise<number> {
  const isPartial = await isUnfinished(api, workspace, authorId);
  let changes = 0;
  for await (const { actor_id: actorId } of auditEvents(api, { workspace: workspace.id })) {
    if (actorId === authorId) break;
    if (!isPartial || !members.has(actorId)) changes += 1;
  }
  return changes;
}

/** Drafts of people who are not part of the demo. Saving one does not create an event. */
async function draftsIn(api: ApiClient, { id }: Workspace, { members }: DemoData): Promise<number> {
  let drafts = 0;
  for (let offset = 0, total = 1; offset < total; offset += 100) {
    const query = { workspace_id: id, status: 'all', limit: 100, offset } as const;
    const { content } = await api.call('GET /presets', { query });
    for (const { slug } of content.data) {
      const call = { params: { slug }, query: { workspace_id: id, limit: 100 } };
      const page = (await api.call('GET /presets/:slug/drafts', call)).content;
      drafts += page.data.filter((draft) => !members.has(draft.user_id)).length;
    }
    total = content.total_count;
  }
  return drafts;
}
