import type { DeviceStore } from '../../core/accounts/account-storage.ts';
import { type DeviceRow, deviceColumns, prunedMax, toDevice } from '../account-rows.ts';
import { writeEvents } from './audit.ts';
import { changeOrganization } from './change-organization.ts';
import type { PostgresConnection } from './connection.ts';
import { insertKey } from './key-records.ts';
import { getMember } from './members.ts';
import { statement } from './statement.ts';

const deviceBy = (column: string) =>
  `SELECT ${deviceColumns} FROM device_requests WHERE ${column} = $1 AND expires_at > $2`;

const byUserCode = statement('device-by-user-code', deviceBy('user_code_hash'));
const byDeviceCode = statement('device-by-device-code', deviceBy('device_code_hash'));

export function postgresDevices(connection: PostgresConnection): DeviceStore {
  return {
    async create(request) {
      const { deviceCodeHash, userCodeHash, clientName, address, createdAt, expiresAt, status } = request;
      await connection.query(pruneDevices, [createdAt]);
      const values = [deviceCodeHash, userCodeHash, clientName, address, createdAt, expiresAt, status];
      await connection.query(insertDevice, values);
    },
    async find(code, at) {
      const rows =
        'userCodeHash' in code
          ? await connection.query<DeviceRow>(byUserCode, [code.userCodeHash, at])
          : await connection.query<DeviceRow>(byDeviceCode, [code.deviceCodeHash, at]);
      return rows.map(toDevice)[0];
    },
    change: (organizationId, userCodeHash, actor, at, decide) =>
      changeOrganization(connection, organizationId, actor, async (query) => {
        // People of different organizations do not wait for each other's lock.
        const [current] = (await query<DeviceRow>(lockDevice, [userCodeHash, at])).map(toDevice);
        if (current === undefined) return undefined;
        const { next, events } = decide(current, await getMember(query, organizationId, actor.userId));
        const { organizationId: decidedIn = null, userId = null, sessionId = null } = next.decidedBy ?? {};
        await query(updateDevice, [current.deviceCodeHash, next.status, decidedIn, userId, sessionId]);
        await writeEvents(query, organizationId, actor, at, events);
        return next;
      }),
    redeem: (deviceCodeHash, key, author, at, decide) =>
      changeOrganization(connection, key.organizationId, author, async (query) => {
        const { organizationId, ownerId } = key;
        const used = await query(useDevice, [deviceCodeHash, at, organizationId, ownerId]);
        if (used.length === 0) return false;
        const owner = await getMember(query, organizationId, ownerId);
        const { events } = decide({ owner, workspace: undefined, workspaceRole: undefined });
        await insertKey(query, key);
        await writeEvents(query, organizationId, author, at, events);
        return true;
      }),
  };
}

const pruneDevices = statement(
  'prune-devices',
  `DELETE FROM device_requests WHERE device_code_hash = ANY (ARRAY(
     SELECT device_code_hash FROM device_requests WHERE expires_at <= $1 ORDER BY expires_at LIMIT ${prunedMax}
   ))`,
);

const insertDevice = statement(
  'insert-device',
  `INSERT INTO device_requests (
     device_code_hash, user_code_hash, client_name, address, created_at, expires_at, status
   ) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
);

const lockDevice = statement('lock-device', `${deviceBy('user_code_hash')} FOR UPDATE`);

const updateDevice = statement(
  'update-device',
  `UPDATE device_requests SET status = $2, organization_id = $3, user_id = $4, session_id = $5
   WHERE device_code_hash = $1`,
);

/** Only while the session that approved it lasts: signing out everywhere also stops this. */
const useDevice = statement(
  'use-device',
  `DELETE FROM device_requests d WHERE device_code_hash = $1 AND expires_at > $2 AND status = 'approved'
     AND organization_id = $3 AND user_id = $4 AND EXISTS (
       SELECT 1 FROM sessions s WHERE s.id = d.session_id AND s.user_id = d.user_id
     )
   RETURNING device_code_hash`,
);
