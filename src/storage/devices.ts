import type { DeviceStore } from '../core/accounts/account-storage.ts';
import type { DeviceRequest } from '../core/accounts/device.ts';
import { writeEvents } from './audit.ts';
import { changeOrganization } from './change-organization.ts';
import type { Database } from './database.ts';
import { insertKey } from './key-records.ts';
import { getMember } from './members.ts';
import { type Columns, columnsOf, fields, json, select } from './select.ts';
import { prunedMax } from './sign-in-attempts.ts';
import { statement } from './statement.ts';
import { insertInto, typed, updateIn } from './write-rows.ts';

type NewRequest = Omit<DeviceRequest, 'decidedBy'>;

const requestTypes = {
  ...typed('text', 'deviceCodeHash', 'userCodeHash', 'clientName', 'address', 'status'),
  ...typed('timestamptz', 'createdAt', 'expiresAt'),
} as const;

const deviceColumns: Columns<DeviceRequest> = {
  ...columnsOf<NewRequest>('device_requests', requestTypes),
  decidedBy: json(({ object }) => {
    const person = object(fields('device_requests', 'organizationId', 'userId', 'sessionId'));
    return `CASE WHEN session_id IS NOT NULL THEN ${person} END`;
  }),
};

const selectDevice = (name: string, column: string, isLocked = false) =>
  select(
    name,
    deviceColumns,
    ({ forUpdate }) => `FROM device_requests
      WHERE ${column} = $1 AND expires_at > $2 ${isLocked ? forUpdate : ''}`,
  );

const byUserCode = selectDevice('device-by-user-code', 'user_code_hash');
const byDeviceCode = selectDevice('device-by-device-code', 'device_code_hash');
const lockDevice = selectDevice('lock-device', 'user_code_hash', true);

export function deviceStore(database: Database): DeviceStore {
  return {
    create: (request) =>
      database.transaction(async (query) => {
        await query(pruneDevices, [request.createdAt]);
        await insertDevices(query, [request]);
      }),
    async find(code, at) {
      const [found] =
        'userCodeHash' in code
          ? await database.query(byUserCode, [code.userCodeHash, at])
          : await database.query(byDeviceCode, [code.deviceCodeHash, at]);
      return found;
    },
    change: (organizationId, userCodeHash, actor, at, decide) =>
      changeOrganization(database, organizationId, actor, async (query) => {
        // People of different organizations do not wait for each other's lock.
        const [current] = await query(lockDevice, [userCodeHash, at]);
        if (current === undefined) return undefined;
        const { next, events } = decide(current, await getMember(query, organizationId, actor.userId));
        await decideDevices(query, [{ ...(next.decidedBy ?? nobody), ...next }]);
        await writeEvents(query, organizationId, actor, at, events);
        return next;
      }),
    redeem: (deviceCodeHash, key, author, at, decide) =>
      changeOrganization(database, key.organizationId, author, async (query) => {
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

/** Who decided a request that nobody has decided. */
const nobody: { readonly [Field in keyof NonNullable<DeviceRequest['decidedBy']>]: string | null } = {
  organizationId: null,
  userId: null,
  sessionId: null,
};

const pruneDevices = statement('prune-devices', ({ isAmong }) => {
  const expired = `SELECT device_code_hash FROM device_requests WHERE expires_at <= $1
      ORDER BY expires_at LIMIT ${prunedMax}`;
  return `DELETE FROM device_requests WHERE ${isAmong('device_code_hash', expired)}`;
});

const insertDevices = insertInto<NewRequest>('insert-device', 'device_requests', requestTypes);

type DecidedRequest = Pick<DeviceRequest, 'deviceCodeHash' | 'status'> & typeof nobody;

const decideDevices = updateIn<DecidedRequest>('update-device', 'device_requests', ['deviceCodeHash'], {
  ...typed('uuid', 'organizationId', 'sessionId'),
  ...typed('text', 'deviceCodeHash', 'status', 'userId'),
});

/** Only while the session that approved it lasts: signing out everywhere also stops this. */
const useDevice = statement(
  'use-device',
  `DELETE FROM device_requests AS d WHERE device_code_hash = $1 AND expires_at > $2 AND status = 'approved'
     AND organization_id = $3 AND user_id = $4 AND EXISTS (
       SELECT 1 FROM sessions s WHERE s.id = d.session_id AND s.user_id = d.user_id
     )
   RETURNING device_code_hash`,
);
