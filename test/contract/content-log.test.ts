import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deleteOldContent } from '../../src/core/content-log/delete-old-content.ts';
import { newId } from '../../src/core/identifiers.ts';
import { firstIdAt } from '../../src/core/ledger/call-record.ts';
import { organizationEvent } from '../../src/core/organization/organization-event.ts';
import type { Workspace } from '../../src/core/organization/workspace.ts';
import { deleteWorkspace, editWorkspace } from '../../src/core/organization/workspace-change.ts';
import { callIdAt, callRecord } from '../support/call-records.ts';
import { engines } from '../support/engines.ts';
import { createOrganizationStorage, type OrganizationStorage } from '../support/organization-storage.ts';
import { owner, time } from '../support/preset-storage.ts';

const dayMs = 86_400_000;
const now = Date.parse('2026-06-01T12:00:00Z');

describe.each(engines)('the content log on %s', (engine) => {
  let acme: OrganizationStorage;
  beforeAll(async () => {
    acme = await createOrganizationStorage(engine);
  });
  afterAll(() => acme.close());

  const contents = () => acme.storage.contents;
  const write = (workspaceId: string, callId: string, text: string) =>
    contents().write([{ workspaceId, callId, contentJson: JSON.stringify({ text }) }]);
  const describeRead = ({ id, slug }: Workspace) =>
    organizationEvent('workspace.content_read', id, { id, name: slug }, null, { generation_id: 'gen-1' });
  const read = (workspaceId: string, callId: string, at = time(30), organizationId = acme.organizationId) =>
    contents().read({ organizationId, workspaceId }, callId, acme.author, at, describeRead);

  it('content is stored once, and reading it stores an event', async () => {
    const { id } = await acme.createWorkspace('read');
    const callId = newId();
    await write(id, callId, 'NUL \0, half \ud83d, "quotes" and ü');
    await write(id, callId, 'later');
    expect(JSON.parse((await read(id, callId, time(31))) ?? '')).toEqual({
      text: 'NUL \0, half \ud83d, "quotes" and ü',
    });
    expect(await acme.eventsAt(time(31))).toMatchObject([
      {
        kind: 'workspace.content_read',
        workspaceId: id,
        subject: { id, name: 'read' },
        actorId: owner.id,
        before: null,
        after: { generation_id: 'gen-1' },
      },
    ]);
  });

  it('reading content that is missing or of another workspace or organization finds nothing and stores no event', async () => {
    const { id } = await acme.createWorkspace('elsewhere');
    const other = await acme.addOrganization();
    const callId = newId();
    await write(id, callId, 'hidden');
    expect(await read(acme.workspace.workspaceId, callId, time(32))).toBeUndefined();
    expect(await read(id, newId(), time(32))).toBeUndefined();
    expect(await read(id, callId, time(32), other.organizationId)).toBeUndefined();
    expect(await acme.eventsAt(time(32))).toEqual([]);
  });

  it('a reader who has lost access gets no content, and no event is stored', async () => {
    const { id } = await acme.createWorkspace('lost');
    const callId = newId();
    await write(id, callId, 'hidden');
    const actor = {
      ...acme.author,
      authorization: {
        kind: 'key' as const,
        secretHash: 'gone',
        assertStillAuthorized: () => {
          throw new Error('no longer');
        },
      },
    };
    const address = { organizationId: acme.organizationId, workspaceId: id };
    await expect(contents().read(address, callId, actor, time(33), describeRead)).rejects.toThrow(
      'no longer',
    );
    expect(await acme.eventsAt(time(33))).toEqual([]);
  });

  it('content log settings are stored with their workspace, and changes are events', async () => {
    const { id } = await acme.createWorkspace('settings');
    const contentLog = { isEnabled: true, samplingRate: 0.25, redactionPatterns: ['\\d+'], retentionDays: 3 };
    await acme.changeWorkspace('settings', editWorkspace({ contentLog }), time(34));
    const found = await acme.storage.workspaces.find(acme.organizationId, id);
    expect(found?.contentLog).toEqual({ ...contentLog, bytesMax: 262_144 });
    expect(await acme.eventsAt(time(34))).toMatchObject([
      {
        kind: 'workspace.content_log_changed',
        before: { enabled: false, redaction_patterns: '[]', retention_days: 30 },
        after: { enabled: true, sampling_rate: '0.25', redaction_patterns: '["\\\\d+"]', retention_days: 3 },
      },
    ]);
    await acme.changeWorkspace('settings', editWorkspace({ contentLog }), time(35));
    expect(await acme.eventsAt(time(35))).toEqual([]);
  });

  it('a key has the content log settings of its workspace only while the log is on', async () => {
    await acme.createWorkspace('known');
    const workspace = await acme.storage.workspaces.find(acme.organizationId, 'known');
    const key = acme.newKey({ workspaceId: workspace?.id ?? null });
    await acme.createKey(key);
    const settings = async () => (await acme.storage.keys.find(key.secretHash))?.contentLog;
    expect(await settings()).toBeNull();
    await acme.changeWorkspace('known', editWorkspace({ contentLog: { isEnabled: true } }));
    expect(await settings()).toMatchObject({ isEnabled: true, samplingRate: 1 });
    await acme.changeWorkspace('known', editWorkspace({ contentLog: { isEnabled: false } }));
    expect(await settings()).toBeNull();
  });

  describe('retention', () => {
    const ages = [0, 1, 4, 8, 40];
    const fill = async (slug: string, retentionDays: number) => {
      const { id } = await acme.createWorkspace(slug);
      await acme.changeWorkspace(slug, editWorkspace({ contentLog: { isEnabled: true, retentionDays } }));
      const ids = ages.map((age) => callIdAt(now - age * dayMs - 1_000));
      for (const callId of ids) await write(id, callId, slug);
      return {
        id,
        kept: async () => (await Promise.all(ids.map((each) => read(id, each)))).filter(Boolean).length,
      };
    };

    it('content is deleted after the retention of its workspace, and at the latest with the records of calls', async () => {
      const [short, long] = [await fill('short', 3), await fill('long', 30)];
      await deleteOldContent(contents(), 90, now);
      expect([await short.kept(), await long.kept()]).toEqual([2, 4]);
      await deleteOldContent(contents(), 6, now);
      expect([await short.kept(), await long.kept()]).toEqual([2, 3]);
    });

    it('content is deleted even while the log is off', async () => {
      const { kept } = await fill('switched-off', 3);
      await acme.changeWorkspace('switched-off', editWorkspace({ contentLog: { isEnabled: false } }));
      await deleteOldContent(contents(), 90, now);
      expect(await kept()).toBe(2);
    });

    it('content of a deleted workspace cannot be read, and all of it is deleted', async () => {
      const { id, kept } = await fill('deleted', 30);
      await acme.changeWorkspace('deleted', deleteWorkspace);
      expect(await kept()).toBe(0);
      await deleteOldContent(contents(), 90, now);
      expect(await contents().deleteBefore(id, firstIdAt(now), 100)).toBe(0);
    });

    it('content is deleted in batches, oldest calls first', async () => {
      const { id } = await fill('parts', 30);
      expect(await contents().deleteBefore(id, firstIdAt(now), 2)).toBe(2);
      expect(await contents().deleteBefore(id, firstIdAt(now - 2 * dayMs), 2)).toBe(1);
      expect(await contents().deleteBefore(id, firstIdAt(now), 2)).toBe(2);
      expect(await contents().deleteBefore(id, firstIdAt(now), 2)).toBe(0);
    });
  });

  it('feedback is listed with its call, replaces feedback of the same author, and is deleted with the call', async () => {
    const { ledger } = acme.storage;
    const scope = { organizationId: acme.organizationId };
    const record = callRecord(acme.workspace, { id: callIdAt(now - 100 * dayMs) });
    await ledger.write({ id: newId(), calls: [record] }, true);
    const add = (authorId: string, category: string, comment: string | null, second: number) =>
      ledger.addFeedback({ callId: record.id, authorId, category, comment, createdAt: time(second) });
    await add('key-1', 'latency', 'slow', 1);
    await add('key-2', 'other', null, 2);
    await add('key-1', 'incoherence', 'odd', 3);
    const expected = [
      { category: 'other', comment: null },
      { category: 'incoherence', comment: 'odd' },
    ];
    expect(await ledger.find(scope, record.id)).toMatchObject({ feedback: expected });
    expect(await ledger.deleteCallsBefore(firstIdAt(now - 99 * dayMs), 10)).toBe(1);
    await ledger.write({ id: newId(), calls: [record] }, true);
    expect(await ledger.find(scope, record.id)).toMatchObject({ feedback: [] });
  });
});
