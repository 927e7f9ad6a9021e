import type { DatabaseSync } from 'node:sqlite';
import { emailKey } from '../../core/organization.ts';
import type { AuditStore } from '../../core/storage.ts';
import { type AuditShape, auditListSql, auditShapeOf, auditShapes, auditValues } from '../audit-list.ts';
import { type AuditRow, toAuditEvent } from '../organization-rows.ts';
import { read } from './errors.ts';

/** Two bounds on the primary key look better to SQLite than an actor or a kind beside them. */
const tables: Readonly<Record<AuditShape, string>> = {
  all: '',
  actor: 'INDEXED BY audit_events_by_actor',
  kind: 'INDEXED BY audit_events_by_kind',
  'actor and kind': 'INDEXED BY audit_events_by_actor',
};

const filters: Readonly<Record<AuditShape, string>> = {
  all: '',
  actor: 'AND actor_id = ?7',
  kind: 'AND kind = ?7',
  'actor and kind': 'AND actor_id = ?7 AND kind = ?8',
};

export function listAuditSql(shape: AuditShape): string {
  return auditListSql(`audit_events ${tables[shape]}
    WHERE organization_id = ?1 AND created_at >= ?2 AND (created_at, id) < (?4, ?5) ${filters[shape]}
    ORDER BY created_at DESC, id DESC LIMIT ?6`);
}

export const findUserSql = 'SELECT id FROM users WHERE id = ? OR email_key = ?';

export function sqliteAudit(database: DatabaseSync): AuditStore {
  const statements = new Map(auditShapes.map((shape) => [shape, database.prepare(listAuditSql(shape))]));
  const findUser = database.prepare(findUserSql);
  return {
    async list(organizationId, filter, limit) {
      const values = auditValues(organizationId, filter, limit);
      const rows = read(() => statements.get(auditShapeOf(filter))?.all(...values)) as unknown as AuditRow[];
      return rows.map(toAuditEvent);
    },
    async findActor(idOrEmail) {
      const row = read(() => findUser.get(idOrEmail, emailKey(idOrEmail)));
      return row === undefined ? undefined : String(row.id);
    },
  };
}
