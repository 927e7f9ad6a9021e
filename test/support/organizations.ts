import { newId } from '../../src/core/identifiers.ts';
import { hashSecret, newSecret } from '../../src/core/organization/api-key.ts';
import type { TestDatabase } from './database.ts';
import { addMember, insertKey, newKey, newMember } from './members.ts';
import { managementKey, type TestServer } from './server.ts';
import { withStorage } from './storage-access.ts';

/** A second organization. presetd never creates one, so it is inserted directly. */
export interface OtherOrganization {
  readonly organizationId: string;
  readonly workspaceId: string;
  readonly adminId: string;
  /** Owned by its admin. */
  readonly managementKey: string;
  /** For its default workspace. */
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

/** A key as the API returns it on creation. */
export interface CreatedKey {
  readonly id: string;
  readonly label: string;
  readonly secret: string;
  readonly secretHash: string;
}

/** Creates a key through the API, as the first admin unless another key is given. */
export async function makeKey(
  server: TestServer,
  details: Readonly<Record<string, unknown>> = {},
  key = managementKey,
): Promise<CreatedKey> {
  const { status, text, body } = await server.post('/api/v1/keys', { name: 'A key', ...details }, { key });
  if (status !== 201) throw new Error(`cannot create a key: ${text}`);
  return {
    id: body.data.hash,
    label: body.data.label,
    secret: body.key,
    secretHash: hashSecret(body.key),
  };
}

/** Creates a workspace through the API as the first admin. Returns its id. */
export async function makeWorkspace(server: TestServer, slug: string): Promise<string> {
  const details = { name: slug, slug };
  const { status, text, body } = await server.post('/api/v1/workspaces', details, { key: managementKey });
  if (status !== 201) throw new Error(`cannot create a workspace: ${text}`);
  return body.data.id;
}

/** Adds a member through the API as the first admin. Returns their id. */
export async function makeMember(
  server: TestServer,
  email: string,
  details: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const person = { email, ...details };
  const { status, text, body } = await server.post('/api/v1/organization/members', person, {
    key: managementKey,
  });
  if (status !== 201) throw new Error(`cannot add a member: ${text}`);
  return body.data.id;
}

/** Invites a person through the API as the first admin. Returns the link that signs them in. */
export async function invite(
  server: TestServer,
  email: string,
  details: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const person = { email, ...details };
  const { status, text, body } = await server.post('/api/v1/organization/invitations', person, {
    key: managementKey,
  });
  if (status !== 201) throw new Error(`cannot invite ${email}: ${text}`);
  return body.url;
}

/** Creates a link that signs a member in, as the first admin. */
export async function makeSignInLink(server: TestServer, email: string): Promise<string> {
  const path = `/api/v1/organization/people/${encodeURIComponent(email)}/sign-in-link`;
  const { status, text, body } = await server.send('POST', path, undefined, { key: managementKey });
  if (status !== 201) throw new Error(`cannot create a link for ${email}: ${text}`);
  return body.data.url;
}
