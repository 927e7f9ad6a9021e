import type { Member, Organization } from '../core/organization/organization.ts';

/** The row of `firstOrganizationSql`, as both engines return it. */
export interface FirstOrganizationRow {
  readonly id: string;
  readonly name: string;
  readonly default_workspace_id: string;
  readonly user_id: string;
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
}

/** The oldest organization with its longest-standing admin. The same SQL works on both engines. */
export const firstOrganizationSql = `SELECT o.id, o.name, o.default_workspace_id, u.id AS user_id, u.email, u.first_name, u.last_name
  FROM organizations o
  JOIN memberships m ON m.organization_id = o.id AND m.role = 'org:admin'
  JOIN users u ON u.id = m.user_id
  ORDER BY o.created_at, o.id, m.joined_at, m.user_id LIMIT 1`;

export function toFirstOrganization(row: FirstOrganizationRow): {
  organization: Organization;
  admin: Member;
} {
  return {
    organization: { id: row.id, name: row.name, defaultWorkspaceId: row.default_workspace_id },
    admin: {
      id: row.user_id,
      email: row.email,
      firstName: row.first_name,
      lastName: row.last_name,
      role: 'org:admin',
    },
  };
}
