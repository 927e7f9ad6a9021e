import type { AuditEvent } from '../../api/audit.ts';
import type { Member } from '../../api/members.ts';
import type { Workspace } from '../../api/workspaces.ts';
import { type ApiClient, type ApiConnection, createApiClient } from '../api-client.ts';
import { CommandError } from '../command-error.ts';

/**
 * The account that creates all demo data, and by which it is found again.
 *
 * Names prove nothing: people rename workspaces, and may have a workspace of the same name. The
 * audit log and `created_by` never change, so whatever this account created is demo data, and
 * nothing else is. The account is added first and removed last. It has no password and, between
 * runs, no key and no rights.
 */
const address = 'presetd-demo@fernhill.example.com';
const details = { email: address, first_name: 'presetd', last_name: 'demo' };

/** Names the keys that exist only while a command runs. */
export const temporaryKeyName = 'presetd demo (temporary)';

/** Much longer than a command takes. After an interruption its keys become useless by themselves. */
export const temporaryKeyMs = 3_600_000;

/**
 * The id of the account; undefined if there never was one. Somebody may have removed it from the
 * members: what it created is still there, and adding it again gives it the same id.
 */
export async function findDemoAuthorId(api: ApiClient): Promise<string | undefined> {
  const member = await findMember(api, address);
  if (member !== undefined) return member.id;
  const query = { actor: address, limit: 1 };
  const events = await orUndefined(() => api.call('GET /audit', { query }));
  return events?.content.data[0]?.actor_id;
}

/** By id or address; undefined if nobody has it. */
export async function findMember(api: ApiClient, id: string): Promise<Member | undefined> {
  return orUndefined(
    async () => (await api.call('GET /organization/members/:id', { params: { id } })).content.data,
  );
}

/** What a request returns, or undefined for a 404. */
export async function orUndefined<Result>(send: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await send();
  } catch (error) {
    if (error instanceof CommandError && error.kind === 'not_found') return undefined;
    throw error;
  }
}

/**
 * Runs `work` with the rights of an org:admin, in the name of the demo account, which is added if
 * needed. Afterwards it has no key and no rights again, also if `work` fails.
 */
export async function asDemoAuthor<Result>(
  connection: ApiConnection,
  admin: ApiClient,
  work: (api: ApiClient, authorId: string) => Promise<Result>,
): Promise<Result> {
  const role = 'org:admin';
  const existing = await findMember(admin, address);
  const author =
    existing ?? (await admin.call('POST /organization/members', { body: { ...details, role } })).content.data;
  const params = { id: author.id };
  if (author.role !== role) await admin.call('PATCH /organization/members/:id', { params, body: { role } });
  const key = await admin.call('POST /keys', {
    body: {
      name: temporaryKeyName,
      kind: 'management',
      creator_user_id: author.id,
      expires_at: new Date(Date.now() + temporaryKeyMs).toISOString(),
    },
  });
  const { hash } = key.content.data;
  const api = createApiClient({ ...connection, key: key.content.key });
  try {
    await deleteOtherKeys(api, hash);
    return await work(api, author.id);
  } finally {
    await admin.call('DELETE /keys/:hash', { params: { hash } });
    await admin.call('PATCH /organization/members/:id', { params, body: { role: 'org:member' } });
  }
}

/** Keys of the account that interrupted commands left behind. */
async function deleteOtherKeys(api: ApiClient, currentHash: string): Promise<void> {
  const { content } = await api.call('GET /keys', { query: { mine: true, include_disabled: true } });
  for (const { hash } of content.data)
    if (hash !== currentHash) await api.call('DELETE /keys/:hash', { params: { hash } });
}

/** Demo data that exists now. */
export interface DemoData {
  /** By the slug that each was created with. */
  readonly workspaces: ReadonlyMap<string, Workspace>;
  /** By id. Those who left and were added again by somebody else are not included. */
  readonly members: ReadonlyMap<string, Member>;
  /** Ids of keys that the account created, deleted ones included. */
  readonly keyIds: ReadonlySet<string>;
}

export const noDemoData: DemoData = { workspaces: new Map(), members: new Map(), keyIds: new Set() };

export async function findDemoData(api: ApiClient, authorId: string): Promise<DemoData> {
  return {
    workspaces: await findWorkspaces(api, authorId),
    members: await findMembers(api, authorId),
    keyIds: new Set(await subjectsOf(api, authorId, 'key.created')),
  };
}

async function findWorkspaces(api: ApiClient, authorId: string): Promise<Map<string, Workspace>> {
  const existing = new Map<string, Workspace>();
  for (let offset = 0, total = 1; offset < total; offset += 100) {
    const { content } = await api.call('GET /workspaces', { query: { limit: 100, offset } });
    for (const workspace of content.data)
      if (workspace.created_by === authorId) existing.set(workspace.id, workspace);
    total = content.total_count;
  }
  const found = new Map<string, Workspace>();
  for await (const event of auditEvents(api, { actor: authorId, kind: 'workspace.created' })) {
    const workspace = existing.get(event.subject_id);
    if (workspace !== undefined) found.set(event.subject, workspace);
  }
  return found;
}

async function findMembers(api: ApiClient, authorId: string): Promise<Map<string, Member>> {
  const open = new Set(await subjectsOf(api, authorId, 'member.added'));
  const found = new Map<string, Member>();
  if (open.size === 0) return found;
  // Newest first: the last person who added a member counts.
  for await (const { subject_id: id, actor_id: actorId } of auditEvents(api, { kind: 'member.added' })) {
    if (!open.delete(id)) continue;
    const member = actorId === authorId ? await findMember(api, id) : undefined;
    if (member !== undefined) found.set(id, member);
    if (open.size === 0) break;
  }
  return found;
}

async function subjectsOf(
  api: ApiClient,
  actor: string,
  kind: AuditEvent['kind'],
): Promise<readonly string[]> {
  const subjects: string[] = [];
  for await (const event of auditEvents(api, { actor, kind })) subjects.push(event.subject_id);
  return subjects;
}

/** Newest first. */
export async function* auditEvents(
  api: ApiClient,
  filter: { readonly actor?: string; readonly kind?: string; readonly workspace?: string },
): AsyncGenerator<AuditEvent> {
  let cursor: string | undefined;
  do {
    const { content } = await api.call('GET /audit', { query: { ...filter, limit: 100, cursor } });
    yield* content.data;
    cursor = content.next_cursor ?? undefined;
  } while (cursor !== undefined);
}

/** Whether the account still belongs to a workspace, which it leaves as the last step of filling it. */
export async function isUnfinished(api: ApiClient, workspace: Workspace, authorId: string): Promise<boolean> {
  const members = await workspaceMemberIds(api, workspace.id);
  return members.has(authorId);
}

export async function workspaceMemberIds(api: ApiClient, id: string): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for (let offset = 0, total = 1; offset < total; offset += 100) {
    const call = { params: { id }, query: { limit: 100, offset } };
    const { content } = await api.call('GET /workspaces/:id/members', call);
    for (const member of content.data) ids.add(member.user_id);
    total = content.total_count;
  }
  return ids;
}
