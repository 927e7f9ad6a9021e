import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../src/core/identifiers.ts';
import { hashSecret, newSecret } from '../../src/core/organization/api-key.ts';
import type { Caller } from '../../src/core/organization/caller.ts';
import { disableKey, editKey, rotateKey } from '../../src/core/organization/key-change.ts';
import { createPresetEditor } from '../../src/core/presets/change-preset.ts';
import { createVersion } from '../../src/core/presets/create-version.ts';
import { engines } from '../support/engines.ts';
import { createOrganizationStorage, type OrganizationStorage } from '../support/organization-storage.ts';
import { time } from '../support/preset-storage.ts';

/** When the requests of these tests run; what they lose is lost one second before. */
const clock = () => time(4);

type Loss = (storage: OrganizationStorage, key: Caller) => Promise<unknown>;

const sql = ({ database }: OrganizationStorage, statement: string) => database.transaction(statement);
const setRole = (storage: OrganizationStorage, userId: string, role: string) =>
  sql(storage, `UPDATE memberships SET workspace_role = '${role}' WHERE user_id = '${userId}'`);

/** How a key of a workspace admin loses what a change needs after its request was authenticated. */
const losses: Readonly<Record<string, Loss>> = {
  'is disabled': ({ changeKey }, { id }) => changeKey(id, disableKey, time(3)),
  expires: ({ changeKey }, { id }) => changeKey(id, editKey({ expiresAt: time(3) }), time(2)),
  'is rotated': ({ changeKey }, { id }) => changeKey(id, rotateKey(newSecret(), 0), time(3)),
  'is moved to another workspace': async ({ createWorkspace, changeMembers, moveKey }, { id, ownerId }) => {
    const { id: destination } = await createWorkspace(`to-${newId()}`);
    await changeMembers('add', destination, [ownerId]);
    await moveKey(id, destination, time(3));
  },
  'is deleted': (storage, { id }) => sql(storage, `DELETE FROM api_keys WHERE id = '${id}'`),
  'gets a smaller scope': (storage, { id }) =>
    sql(storage, `UPDATE api_keys SET scope = 'read' WHERE id = '${id}'`),
  'belongs to somebody who becomes an editor': (storage, { ownerId }) => setRole(storage, ownerId, 'editor'),
  'belongs to somebody who becomes a viewer': (storage, { ownerId }) => setRole(storage, ownerId, 'viewer'),
  'belongs to somebody who is deactivated': (storage, { ownerId }) =>
    sql(storage, `UPDATE memberships SET deactivated_at = '${time(3)}' WHERE user_id = '${ownerId}'`),
  'belongs to somebody who leaves': ({ removeMember }, { ownerId }) => removeMember(ownerId, time(3)),
};

describe.each(engines)('authorization of preset changes on %s', (engine) => {
  let storage: OrganizationStorage;
  let slug: string;
  let caller: Caller;
  beforeAll(async () => {
    storage = await createOrganizationStorage(engine);
  });
  beforeEach(async () => {
    slug = `greeting-${newId()}`;
    await storage.create(slug);
    await storage.create(slug, 1);
    const member = await storage.addMember();
    const secret = newSecret();
    await storage.createKey(storage.newKey({ ownerId: member.id }, secret));
    const found = await storage.storage.keys.find(hashSecret(secret));
    if (found === undefined) throw new Error('the key that was just created is missing');
    caller = found;
  });
  afterAll(() => storage.close());

  const request = () => ({ caller, slug, workspaceId: undefined, precondition: {} });
  const add = (precondition: object, idempotencyKey?: { key: string; requestHash: string }) =>
    createVersion(storage.storage.presets, clock, {
      ...request(),
      precondition,
      idempotencyKey,
      dialect: 'responses',
      captured: {
        config: { model: 'm' },
        systemPrompt: null,
        extension: null,
        ignoredFields: [],
        designate: true,
      },
    });
  const editor = () => createPresetEditor(storage.storage.presets, clock);

  /** Every way to change what calls get. */
  const changes: Readonly<Record<string, () => Promise<unknown>>> = {
    'a version': () => add({}),
    'a version with a condition': () => add({ ifMatch: '*' }),
    'a version with an idempotency key': () => add({}, { key: 'once', requestHash: 'hash' }),
    'another live version': () => editor().edit(request(), { designatedVersion: 1 }),
    'an archived preset': () => editor().archive(request()),
  };

  it.each(Object.entries(losses))('a key that %s during its request changes nothing', async (_, lose) => {
    await lose(storage, caller);
    const before = await storage.events(slug);
    for (const [title, change] of Object.entries(changes)) {
      const error = await change().then(
        () => undefined,
        (reason) => reason,
      );
      expect([title, error]).toEqual([
        title,
        expect.objectContaining({ kind: expect.stringMatching(/^(unauthenticated|forbidden|not_found)$/) }),
      ]);
    }
    expect(await storage.events(slug)).toEqual(before);
    expect(await storage.state(slug)).toMatchObject({ latestVersion: 2, status: 'active' });
  });

  if (engine === 'postgres')
    describe('a preset held by another transaction', () => {
      let holder: pg.Client;
      beforeEach(async () => {
        holder = new pg.Client({ connectionString: storage.database.url });
        await holder.connect();
        await holder.query(`BEGIN; SELECT 1 FROM presets WHERE slug = '${slug}' FOR UPDATE`);
      });
      afterEach(() => holder.end());

      const waiting = async () => {
        const { rowCount } = await holder.query(
          `SELECT pg_stat_clear_snapshot() FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        return rowCount;
      };

      it.each(Object.entries(losses))('a key that %s creates no version', async (_, lose) => {
        const refused = expect(add({})).rejects.toMatchObject({
          kind: expect.stringMatching(/^(unauthenticated|forbidden|not_found)$/),
        });
        const allowed = storage.create(`another-${slug}`, 4);
        await expect.poll(waiting).toBe(1);
        await lose(storage, caller);
        // A create looks at the rights of its key again if it has waited for this long.
        await holder.query('SELECT pg_sleep(0.1)');
        await holder.query('COMMIT');
        await refused;
        expect(await allowed).toMatchObject({ slug: `another-${slug}`, latestVersion: 1 });
        expect(await storage.state(slug)).toMatchObject({ latestVersion: 2, revision: 2 });
      });
    });

  it.each(Object.keys(changes))('a key that keeps its rights stores %s', async (title) => {
    const before = (await storage.events(slug)).length;
    await changes[title]?.();
    expect(await storage.events(slug)).toHaveLength(before + 1);
  });
});
