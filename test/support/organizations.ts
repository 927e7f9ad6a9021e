import { hashSecret, newSecret } from '../../src/core/api-key.ts';
import { newId } from '../../src/core/identifiers.ts';
import type { TestDatabase } from './database.ts';
import { addMember, insertKey, newKey, newMember } from './members.ts';
import { managementKey, type TestServer } from './server.ts';
import { withStorage } from './storage-access.ts';

/** An organization beside the first. The product makes none, so it is made behind its back. */
export interface OtherOrganization {
  readonly organizationId: string;
  readonly workspaceId: string;
  readonly adminId: string;
  /** Of its admin. */
  readonly managementKey: string;
  /** In its default workspace. */
  readonly apiKey: string;
}

export async function addOrganization(database: TestDatabase): Promise<OtherOrganization> {
  const [organizationId, workspaceId] = [newId(), newId()];
  const [at, later] = ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:01.000Z'];
  await database.transaction(
    `INSERT INTO organizations (id, name, default_workspace_id, created_at) VALUES ('${organizationId}', 'Other', '${workspaceId}', '${at}')`,
    `INSERT INTO workspaces (id, organization_id, slug, name, created_at) VALUES ('${workspaceId}', '${organizationId}', 'default', 'Default', '${at}')`,
  );
  return withStorage(database, async ({ storage }) => {
    const admin = await addMember(storage, organizationId, newMember({ role: 'org:admin' }));
    const owned = { ownerId: admin.id, organizationId, createdAt: at };
    const [management, api] = [newSecret(), newSecret()];
    await insertKey(storage, newKey(owned, management));
    await insertKey(storage, newKey({ ...owned, kind: 'api', workspaceId, createdAt: later }, api));
    return { organizationId, workspaceId, adminId: admin.id, managementKey: management, apiKey: api };
  });
}

/** What the API answers when it makes a key. */
export interface MadeKey {
  readonly id: string;
  readonly label: string;
  readonly secret: string;
  readonly secretHash: string;
}

/** Made over HTTP by the first admin, unless another key is to ask for it. */
export async function makeKey(
  server: TestServer,
  details: Readonly<Record<string, unknown>> = {},
  key = managementKey,
): Promise<MadeKey> {
  const { status, text, body } = await server.post('/api/v1/keys', { name: 'A key', ...details }, { key });
  if (status !== 201) throw new Error(`no key was made: ${text}`);
  return {
    id: body.data.hash,
    label: body.data.label,
    secret: body.key,
    secretHash: hashSecret(body.key),
  };
}

/** The id of a workspace that is made over HTTP by the first admin. */
export async function makeWorkspace(server: TestServer, slug: string): Promise<string> {
  const wanted = { name: slug, slug };
  const { status, text, body } = await server.post('/api/v1/workspaces', wanted, { key: managementKey });
  if (status !== 201) throw new Error(`no workspace was made: ${text}`);
  return body.data.id;
}

/** The id of a member who is added over HTTP by the first admin. */
export async function makeMember(
  server: TestServer,
  email: string,
  details: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const person = { email, ...details };
  const { status, text, body } = await server.post('/api/v1/organization/members', person, {
    key: managementKey,
  });
  if (status !== 201) throw new Error(`nobody was added: ${text}`);
  return body.data.id;
}
