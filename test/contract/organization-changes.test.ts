import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultContentLog } from '../../src/core/content-log/content-log-settings.ts';
import { PresetdError } from '../../src/core/errors.ts';
import { newId } from '../../src/core/identifiers.ts';
import type { Actor } from '../../src/core/organization/actor.ts';
import { hashSecret } from '../../src/core/organization/api-key.ts';
import { editKey } from '../../src/core/organization/key-change.ts';
import { addMember, removeMember } from '../../src/core/organization/member-change.ts';
import { deleteWorkspace } from '../../src/core/organization/workspace-change.ts';
import { engines } from '../support/engines.ts';
import { disableKeyIn, insertKey, newKey } from '../support/members.ts';
import { createPresetStorage, owner, type PresetStorage, time } from '../support/preset-storage.ts';

describe.each(engines)('authorization of organization changes on %s', (engine) => {
  let presets: PresetStorage;
  let organizationId: string;
  beforeAll(async () => {
    presets = await createPresetStorage(engine);
    ({ organizationId } = presets.workspace);
  });
  afterAll(() => presets.close());

  /** Authorized as long as the key is enabled. */
  const actorWith = (secret: string): Actor => ({
    ...presets.author,
    authorization: {
      kind: 'key',
      secretHash: hashSecret(secret),
      assertStillAuthorized(key) {
        if (key === undefined || key.kind === 'session' || key.disabled)
          throw new PresetdError('unauthenticated', 'disabled');
      },
    },
  });

  it('every change of an organization checks again that its actor is authorized', async () => {
    const { storage } = presets;
    const key = newKey({ ownerId: owner.id, organizationId }, 'a secret of some length');
    await insertKey(storage, key);
    const actor = actorWith('a secret of some length');
    const attempts = () => [
      storage.members.upsert(
        organizationId,
        actor,
        [{ email: `${newId()}@example.com` }],
        addMember(time(1)),
      ),
      storage.members.change(organizationId, owner.id, actor, (member) =>
        removeMember(member, false, time(1)),
      ),
      storage.keys.change(organizationId, key.id, actor, (found) => editKey({ name: 'x' })(found, time(1))),
      storage.keys.create(newKey({ ownerId: owner.id, organizationId }), actor, () => ({
        addsOwnerToWorkspace: false,
        events: [],
      })),
      storage.workspaces.change(organizationId, 'default', actor, (workspace) =>
        deleteWorkspace({ ...workspace, isDefault: false }, 0, time(1)),
      ),
      storage.workspaces.changeMembers(
        organizationId,
        'default',
        actor,
        {
          kind: 'add',
          userIds: [owner.id],
          decide: () => ({ at: time(1), userIds: [], role: 'viewer', events: [] }),
        },
        time(1),
      ),
      storage.workspaces.create(
        {
          id: newId(),
          organizationId,
          slug: 'room',
          name: 'Room',
          description: null,
          createdBy: owner.id,
          createdAt: time(1),
          updatedAt: null,
          isDefault: false,
          memberCount: 1,
          contentLog: defaultContentLog,
        },
        actor,
        () => [],
      ),
    ];
    await disableKeyIn(storage, organizationId, key.id);
    const before = await storage.audit.list(organizationId, {}, 100);
    for (const attempt of attempts())
      await expect(attempt).rejects.toMatchObject({ kind: 'unauthenticated' });
    expect(await storage.audit.list(organizationId, {}, 100)).toEqual(before);
    expect(await storage.members.list(organizationId, { offset: 0, limit: 10 })).toEqual({
      members: [owner],
      totalCount: 1,
    });
    expect(await storage.workspaces.find(organizationId, 'room')).toBeUndefined();
    expect(await storage.workspaces.find(organizationId, 'default')).toBeDefined();
  });
});
