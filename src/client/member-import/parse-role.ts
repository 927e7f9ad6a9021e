import { type Role, roles } from '../../core/organization/organization.ts';

/** Accepts "admin" for "org:admin", in any case. Undefined if it is not a role. */
export function parseRole(text: string): Role | undefined {
  const name = text.trim().toLowerCase();
  return roles.find((role) => role === name || role === `org:${name}`);
}
