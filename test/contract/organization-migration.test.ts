import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultContentLog } from '../../src/core/content-log/content-log-settings.ts';
import { newId } from '../../src/core/identifiers.ts';
import { hashSecret } from '../../src/core/organization/api-key.ts';
import { deleteKey } from '../../src/core/organization/key-change.ts';
import type { Storage } from '../../src/core/storage.ts';
import { readMigrations } from '../../src/storage/migrate.ts';
import { migrateStorage, openStorage } from '../../src/storage/open.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { engines } from '../support/engines.ts';
import { addMember, newMember, removeMemberFrom, testAuthor } from '../support/members.ts';
import { time } from '../support/preset-storage.ts';
import { storageOptions } from '../support/storage-options.ts';

const page = { offset: 0, limit: 100 };
const acme = { organizationId: newId(), workspaceId: newId() };
const initech = { organizationId: newId(), workspaceId: newId() };
const organizations = [acme, initech];

/** Ada is in both; Bob left Acme for Initech; Eva left both. */
const memberships = [
  { of: acme, userId: 'user_ada', role: 'org:admin' },
  { of: acme, userId: 'user_kim', role: 'org:member' },
  { of: initech, userId: 'user_ada', role: 'org:member' },
  { of: initech, userId: 'user_bob', role: 'org:admin' },
];
const users = ['user_ada', 'user_bob', 'user_eva', 'user_kim'];

const keys = [
  { name: 'of an admin', owner: 'user_ada', of: acme, kind: 'api', was: false, is: false },
  { name: 'management', owner: 'user_ada', of: acme, kind: 'management', was: false, is: false },
  { name: 'disabled before', owner: 'user_kim', of: acme, kind: 'api', was: true, is: true },
  { name: 'of a leaver', owner: 'user_bob', of: acme, kind: 'api', was: false, is: true },
  { name: 'management of a leaver', owner: 'user_eva', of: acme, kind: 'management', was: false, is: true },
  { name: 'of a leaver, disabled', owner: 'user_eva', of: initech, kind: 'api', was: true, is: true },
  { name: 'of a leaver elsewhere', owner: 'user_bob', of: initech, kind: 'api', was: false, is: false },
  { name: 'of one who joined both', owner: 'user_ada', of: initech, kind: 'api', was: false, is: false },
  {
    name: 'personal of a leaver',
    owner: 'user_eva',
    of: undefined,
    kind: 'management',
    was: false,
    is: false,
  },
].map((key, index) => ({ ...key, id: newId(), createdAt: time(index) }));

const preset = { id: newId(), versionId: newId(), eventId: newId() };

describe.each(engines)('the organization migration on %s', (engine) => {
  let database: TestDatabase;
  let storage: Storage;

  beforeAll(async () => {
    database = await createDatabase(engine);
    const [foundation, lifecycle] = readMigrations(engine);
    const [flag, timestamp] = engine === 'sqlite' ? ['integer', 'text'] : ['boolean', 'timestamptz'];
    await database.transaction(
      foundation?.sql ?? '',
      lifecycle?.sql ?? '',
      `CREATE TABLE schema_migrations (
         number integer PRIMARY KEY, name text NOT NULL, is_breaking ${flag} NOT NULL, applied_at ${timestamp} NOT NULL
       )`,
      `INSERT INTO schema_migrations VALUES
         (1, '${foundation?.name}', false, '${time(0)}'), (2, '${lifecycle?.name}', true, '${time(0)}')`,
    );
    await database.transaction(...rows());
    expect((await migrateStorage(storageOptions(database))).map(({ name }) => name)).toEqual(
      readMigrations(engine)
        .slice(2)
        .map(({ name }) => name),
    );
    storage = await openStorage(storageOptions(database));
  });
  afterAll(async () => {
    await storage.close();
    await database.drop();
  });

  it.each(organizations)(
    'the organization migration keeps the default workspace of each organization',
    async (place) => {
      const { workspaces, totalCount } = await storage.workspaces.list(place.organizationId, page);
      expect(totalCount).toBe(1);
      const members = memberships.filter(({ of }) => of === place);
      expect(workspaces).toEqual([
        {
          id: place.workspaceId,
          organizationId: place.organizationId,
          slug: 'default',
          name: 'Default',
          description: null,
          createdBy: null,
          createdAt: time(0),
          updatedAt: null,
          isDefault: true,
          memberCount: 2,
          contentLog: defaultContentLog,
        },
      ]);
      const [workspace] = workspaces;
      const listed = workspace && (await storage.workspaces.members(workspace, page));
      expect(listed?.map(({ userId, role }) => ({ userId, role }))).toEqual(
        members.map(({ userId, role }) => ({ userId, role })),
      );
    },
  );

  it.each(keys)(
    'after the organization migration a key "$name" is disabled: $is',
    async ({ name, owner, of, is, createdAt }) => {
      const found = await storage.keys.find(hashSecret(name));
      expect(found).toMatchObject({ name, ownerId: owner, disabled: is, createdAt, secretExpiresAt: null });
      const membership = memberships.find((each) => each.of === of && each.userId === owner);
      expect(found?.ownerRole).toBe(membership?.role ?? null);
    },
  );

  it('after the organization migration keys are listed as never changed or used', async () => {
    for (const place of organizations) {
      const listed = await storage.keys.list(place, true, page);
      const own = keys.filter(({ of }) => of === place).toReversed();
      expect(listed?.map(({ id }) => id)).toEqual(own.map(({ id }) => id));
      for (const key of listed ?? [])
        expect(key).toMatchObject({ updatedAt: null, lastUsedAt: null, retiredSecretExpiresAt: null });
    }
  });

  it('the audit log includes presets from before the organization migration', async () => {
    expect(await storage.audit.list(acme.organizationId, {}, 10)).toEqual([
      {
        id: preset.eventId,
        kind: 'preset.created',
        workspaceId: acme.workspaceId,
        workspaceName: 'Default',
        workspaceSlug: 'default',
        subject: { id: preset.id, name: 'old' },
        actorId: 'user_ada',
        actorEmail: 'user_ada@example.com',
        keyLabel: 'sk-…',
        before: null,
        after: { version: 1, designated_version: 1 },
        createdAt: time(1),
      },
    ]);
    expect(await storage.audit.list(initech.organizationId, {}, 10)).toEqual([]);
  });

  it('counts stay correct after the organization migration', async () => {
    const added = await addMember(storage, initech.organizationId, newMember());
    const count = async () => (await storage.workspaces.find(initech.organizationId, 'default'))?.memberCount;
    expect(await count()).toBe(3);
    await removeMemberFrom(storage, initech.organizationId, added.id);
    expect(await count()).toBe(2);
    const created = await storage.workspaces.create(
      {
        id: newId(),
        organizationId: initech.organizationId,
        slug: 'second',
        name: 'Second',
        description: null,
        createdBy: 'user_bob',
        createdAt: time(60),
        updatedAt: null,
        isDefault: false,
        memberCount: 1,
        contentLog: defaultContentLog,
      },
      testAuthor,
      () => [],
    );
    expect(created).toMatchObject({ memberCount: 1 });
    expect(await storage.workspaces.list(initech.organizationId, page)).toMatchObject({ totalCount: 2 });
    expect(await storage.workspaces.list(acme.organizationId, page)).toMatchObject({ totalCount: 1 });
    const [key] = keys;
    const deleted = await storage.keys.change(acme.organizationId, key?.id ?? '', testAuthor, (current) =>
      deleteKey(current, time(61)),
    );
    expect(deleted).toMatchObject({ id: key?.id });
    expect(await storage.keys.find(hashSecret(key?.name ?? ''))).toBeUndefined();
  });
});

/** Rows as a server of that version would have left them. */
function rows(): readonly string[] {
  type Value = string | number | boolean | null;
  const written = (value: Value) => (typeof value === 'string' ? `'${value}'` : String(value));
  const values = (list: readonly (readonly Value[])[]) =>
    list.map((row) => `(${row.map(written).join()})`).join();
  return [
    `INSERT INTO organizations (id, name, default_workspace_id, created_at) VALUES ${values(
      organizations.map(({ organizationId, workspaceId }) => [organizationId, 'Acme', workspaceId, time(0)]),
    )}`,
    `INSERT INTO workspaces (id, organization_id, slug, name, created_at) VALUES ${values(
      organizations.map(({ organizationId, workspaceId }) => [
        workspaceId,
        organizationId,
        'default',
        'Default',
        time(0),
      ]),
    )}`,
    `INSERT INTO users VALUES ${values(
      users.map((id) => [id, `${id}@example.com`, `${id}@example.com`, '', '', time(0)]),
    )}`,
    // Former members had been counted.
    `INSERT INTO memberships VALUES ${values([
      ...memberships.map(({ of, userId, role }, index) => [of.organizationId, userId, role, time(index)]),
      [acme.organizationId, 'user_bob', 'org:member', time(9)],
      [acme.organizationId, 'user_eva', 'org:admin', time(9)],
      [initech.organizationId, 'user_eva', 'org:member', time(9)],
    ])}`,
    `INSERT INTO api_keys (
       id, secret_hash, label, name, kind, read_only, owner_id, organization_id, workspace_id, disabled, created_at
     ) VALUES ${values(
       keys.map(({ id, name, kind, owner, of, was, createdAt }) => [
         ...[id, hashSecret(name), 'sk-…', name, kind, false, owner, of?.organizationId ?? null],
         ...[kind === 'api' ? (of?.workspaceId ?? null) : null, was, createdAt],
       ]),
     )}`,
    `DELETE FROM memberships WHERE user_id = 'user_eva' OR (user_id = 'user_bob' AND organization_id = '${acme.organizationId}')`,
    `INSERT INTO presets (
       id, workspace_id, slug, name, status, latest_version, designated_version, revision, creator_user_id, created_at,
       updated_at
     ) VALUES ${values([
       [preset.id, acme.workspaceId, 'old', 'old', 'active', 1, 1, 1, 'user_ada', time(1), time(1)],
     ])}`,
    `INSERT INTO preset_versions VALUES ${values([
      [preset.versionId, preset.id, 1, 'messages', '{}', null, 'user_ada', time(1)],
    ])}`,
    `INSERT INTO audit_events VALUES ${values([
      [
        ...[
          preset.eventId,
          acme.organizationId,
          acme.workspaceId,
          preset.id,
          1,
          'preset.created',
          'user_ada',
        ],
        ...['sk-…', null, '{"version":1,"designated_version":1}', time(1)],
      ],
    ])}`,
  ];
}
