import type { AuditEvent } from '../../api/audit.ts';
import type { Input, JsonText } from '../../api/client.ts';
import type { Member } from '../../api/members.ts';
import type { Workspace } from '../../api/workspaces.ts';
import { type ApiClient, type ApiConnection, createApiClient } from '../api-client.ts';
import { CommandError } from '../command-error.ts';
import { finishOnInterrupt } from '../interrupt.ts';

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
const temporaryKeyName = 'presetd demo (temporary)';

/** Much longer than a command takes. If it is killed, its keys become useless by themselves. */
const temporaryKeyMs = 3_600_000;

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

/** What the account can do while a command runs. After an interruption it sends no more requests. */
export interface DemoAuthor {
  readonly id: string;
  /** Has the rights of an org:admin. */
  readonly api: ApiClient;
  /** Returns a client with a temporary key of this person for this workspace. */
  createClientFor(userId: string, workspaceId: string): Promise<ApiClient>;
  /** Deletes the keys of these clients. */
  deleteClientKeys(): Promise<void>;
}

/**
 * Runs `work` in the name of the demo account, which is added if needed. Afterwards the account has
 * no key and no rights again, also if `work` fails or a signal interrupts it.
 */
export async function asDemoAuthor<Result>(
  connection: ApiConnection,
  admin: ApiClient,
  work: (author: DemoAuthor) => Promise<Result>,
): Promise<Result> {
  const existing = await findMember(admin, address);
  const { id, role } =
    existing ?? (await admin.call('POST /organization/members', { body: details })).content.data;
  const setRole = (role: Member['role']) =>
    admin.call('PATCH /organization/members/:id', { params: { id }, body: { role } });
  return finishOnInterrupt((interruption) => {
    let ownHash: string | undefined;
    let deleteClientKeys = async () => {};
    const start = async (): Promise<DemoAuthor> => {
      if (role !== 'org:admin') await setRole('org:admin');
      const { hash, key } = await createKey(admin, { kind: 'management', creator_user_id: id });
      ownHash = hash;
      const api = createApiClient({ ...connection, key, interruption });
      await deleteOtherKeys(api, hash);
      const hashes: string[] = [];
      deleteClientKeys = () => deleteKeys(createApiClient({ ...connection, key }), hashes.splice(0));
      const createClientFor = async (userId: string, workspaceId: string) => {
        const owner = { creator_user_id: userId, workspace_id: workspaceId };
        const created = await createKey(api, { scope: 'write', ...owner });
        hashes.push(created.hash);
        return createApiClient({ ...connection, key: created.key, interruption });
      };
      return { id, api, createClientFor, deleteClientKeys };
    };
    return thenAlways(
      async () => work(await start()),
      // In the account's name, and thus before it loses its rights: in a demo workspace, a change by
      // anybody else is the work of a visitor.
      () => deleteClientKeys(),
      () => setRole('org:member'),
      () => deleteKeys(admin, ownHash === undefined ? [] : [ownHash]),
    );
  });
}

/** Runs all steps after `work`, even if it or one of them fails. Throws the first error. */
async function thenAlways<Result>(
  work: () => Promise<Result>,
  ...steps: readonly (() => Promise<unknown>)[]
): Promise<Result> {
  const [worked] = await Promise.allSettled([work()]);
  const results: PromiseSettledResult<unknown>[] = [];
  for (const step of steps) results.push(...(await Promise.allSettled([step()])));
  if (worked.status === 'rejected') throw worked.reason;
  for (const result of results) if (result.status === 'rejected') throw result.reason;
  return worked.value;
}

async function createKey(
  api: ApiClient,
  body: Omit<Exclude<Input<'POST /keys'>['body'], JsonText>, 'name'>,
): Promise<{ readonly hash: string; readonly key: string }> {
  const expires = new Date(Date.now() + temporaryKeyMs).toISOString();
  const call = { body: { ...body, name: temporaryKeyName, expires_at: expires } };
  const { data, key } = (await api.call('POST /keys', call)).content;
  return { hash: data.hash, key };
}

async function deleteKeys(api: ApiClient, hashes: readonly string[]): Promise<void> {
  for (const hash of hashes) await api.call('DELETE /keys/:hash', { params: { hash } });
}

/** Keys of the account that interrupted commands left behind. */
async function deleteOtherKeys(api: ApiClient, currentHash: string): Promise<void> {
  const { content } = await api.call('GET /keys', { query: { mine: true, include_disabled: true } });
  const hashes = content.data.map(({ hash }) => hash);
  await deleteKeys(
    api,
    hashes.filter((hash) => hash !== currentHash),
  );
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

/**
 * Somebody who was removed after the demo account added them, and is a member now, was added again
 * by somebody else. Reading who was removed is enough: an organization adds many more people than it
 * removes.
 */
async function findMembers(api: ApiClient, authorId: string): Promise<Map<string, Member>> {
  const addedAt = new Map<string, string>();
  let since: string | undefined;
  // Newest first, so the last time that each was added counts.
  for await (const event of auditEvents(api, { actor: authorId, kind: 'member.added' })) {
    if (!addedAt.has(event.subject_id)) addedAt.set(event.subject_id, event.created_at);
    since = event.created_at;
  }
  if (since === undefined) return new Map();
  for await (const { subject_id: id, created_at: at } of auditEvents(api, { kind: 'member.removed', since }))
    if (at > (addedAt.get(id) ?? at)) addedAt.delete(id);
  const found = new Map<string, Member>();
  for (const id of addedAt.keys()) {
    const member = await findMember(api, id);
    if (member !== undefined) found.set(id, member);
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
  filter: {
    readonly actor?: string;
    readonly kind?: AuditEvent['kind'];
    readonly workspace?: string;
    readonly since?: string;
  },
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
