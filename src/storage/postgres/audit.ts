import { emailKey } from '../../core/organization.ts';
import type { AuditStore } from '../../core/storage.ts';
import { type AuditShape, auditListSql, auditShapeOf, auditShapes, auditValues } from '../audit-list.ts';
import { type AuditRow, toAuditEvent } from '../organization-rows.ts';
import type { PostgresConnection, Statement } from './connection.ts';
import { statement } from './query.ts';

/** What the index begins with after the organization, and what is compared row by row (and by no other index). */
const parts: Readonly<Record<AuditShape, { readonly leading?: string; readonly filter?: string }>> = {
  all: {},
  actor: { leading: 'actor_id' },
  kind: { leading: 'kind' },
  'actor and kind': { leading: 'actor_id', filter: 'kind' },
};

/**
 * An actor or a kind stands in the bounds and in the order: where statistics know only one of them, the planner would else
 * go by the time alone and read everything.
 */
function listAuditText(shape: AuditShape): string {
  const { leading, filter } = parts[shape];
  const [column, value] = leading === undefined ? ['', ''] : [`${leading}, `, '$7, '];
  return auditListSql(
    `audit_events
    WHERE organization_id = $1
      AND (${column}created_at, id) >= (${value}$2, $3) AND (${column}created_at, id) < (${value}$4, $5)
      ${filter === undefined ? '' : `AND ${filter} || '' = $8`}
    ORDER BY ${leading === undefined ? '' : `${leading} DESC, `}created_at DESC, id DESC LIMIT $6`,
    leading,
  );
}

export const listAuditStatements: ReadonlyMap<AuditShape, Statement> = new Map(
  auditShapes.map((shape) => [
    shape,
    statement(`list-audit-by-${shape.replaceAll(' ', '-')}`, listAuditText(shape)),
  ]),
);

export function postgresAudit(connection: PostgresConnection): AuditStore {
  return {
    async list(organizationId, filter, limit) {
      const list = listAuditStatements.get(auditShapeOf(filter));
      if (list === undefined) throw new Error('there is no list of this shape');
      const values = auditValues(organizationId, filter, limit);
      return (await connection.query<AuditRow>(list, values)).map(toAuditEvent);
    },
    async findActor(idOrEmail) {
      const [row] = await connection.query<{ id: string }>(findUserStatement, [
        idOrEmail,
        emailKey(idOrEmail),
      ]);
      return row?.id;
    },
  };
}

export const findUserStatement = statement(
  'find-user',
  'SELECT id FROM users WHERE id = $1 UNION SELECT id FROM users WHERE email_key = $2 LIMIT 1',
);
