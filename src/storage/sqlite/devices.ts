import type { DatabaseSync } from 'node:sqlite';
import type { DeviceStore } from '../../core/accounts/account-storage.ts';
import { type DeviceRow, deviceColumns, prunedMax, toDevice } from '../account-rows.ts';
import { prepareWriteEvents } from './audit.ts';
import { prepareChangeOrganization } from './change-organization.ts';
import { read } from './errors.ts';
import { prepareKeyInsert } from './key-records.ts';
import { prepareMemberReads } from './members.ts';
import { statement } from './statement.ts';
import type { WriteQueue } from './write-queue.ts';

const deviceBy = (column: string) =>
  `SELECT ${deviceColumns} FROM device_requests WHERE ${column} = ? AND expires_at > ?`;

const deviceByUserCodeSql = statement('device-by-user-code', deviceBy('user_code_hash'));
const deviceByDeviceCodeSql = statement('device-by-device-code', deviceBy('device_code_hash'));

const pruneDevicesSql = statement(
  'prune-devices',
  `DELETE FROM device_requests WHERE device_code_hash IN (
    SELECT device_code_hash FROM device_requests WHERE expires_at <= ? ORDER BY expires_at LIMIT ${prunedMax}
  )`,
);

/** Only while the session that approved it lasts: signing out everywhere also stops this. */
const useDeviceSql = statement(
  'use-device',
  `DELETE FROM device_requests WHERE device_code_hash = ? AND expires_at > ? AND status = 'approved'
    AND organization_id = ? AND user_id = ? AND EXISTS (
      SELECT 1 FROM sessions s WHERE s.id = session_id AND s.user_id = device_requests.user_id
    )`,
);

export function sqliteDevices(database: DatabaseSync, queue: WriteQueue): DeviceStore {
  const byUserCode = database.prepare(deviceByUserCodeSql);
  const byDeviceCode = database.prepare(deviceByDeviceCodeSql);
  const prune = database.prepare(pruneDevicesSql);
  const insert = database.prepare(
    `INSERT INTO device_requests (${deviceColumns}) VALUES (?, ?, ?, ?, ?, ?, ?, NULL, NULL, NULL)`,
  );
  const update = database.prepare(
    `UPDATE device_requests SET status = ?, organization_id = ?, user_id = ?, session_id = ?
     WHERE device_code_hash = ?`,
  );
  const use = database.prepare(useDeviceSql);
  const members = prepareMemberReads(database);
  const insertKey = prepareKeyInsert(database);
  const writeEvents = prepareWriteEvents(database);
  const changeOrganization = prepareChangeOrganization(database, queue);
  const toDeviceIfAny = (row: unknown) => (row === undefined ? undefined : toDevice(row as DeviceRow));

  return {
    create: (request) =>
      queue.write(() => {
        prune.run(request.createdAt);
        const { deviceCodeHash, userCodeHash, clientName, address, createdAt, expiresAt, status } = request;
        insert.run(deviceCodeHash, userCodeHash, clientName, address, createdAt, expiresAt, status);
      }),
    async find(code, at) {
      return read(() =>
        toDeviceIfAny(
          'userCodeHash' in code
            ? byUserCode.get(code.userCodeHash, at)
            : byDeviceCode.get(code.deviceCodeHash, at),
        ),
      );
    },
    change: (organizationId, userCodeHash, actor, at, decide) =>
      changeOrganization(actor, () => {
        const current = toDeviceIfAny(byUserCode.get(userCodeHash, at));
        if (current === undefined) return undefined;
        const { next, events } = decide(current, members.get(organizationId, actor.userId));
        const { organizationId: decidedIn = null, userId = null, sessionId = null } = next.decidedBy ?? {};
        update.run(next.status, decidedIn, userId, sessionId, current.deviceCodeHash);
        writeEvents(organizationId, actor, at, events);
        return next;
      }),
    redeem: (deviceCodeHash, key, author, at, decide) =>
      queue.write(() => {
        const { organizationId, ownerId } = key;
        if (use.run(deviceCodeHash, at, organizationId, ownerId).changes === 0) return false;
        const owner = members.get(organizationId, ownerId);
        const { events } = decide({ owner, workspace: undefined, workspaceRole: undefined });
        insertKey(key);
        writeEvents(organizationId, author, at, events);
        return true;
      }),
  };
}
