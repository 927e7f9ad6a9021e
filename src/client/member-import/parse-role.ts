import { type Role, roles } from '../../core/organization.ts';

/** "admin" is enough for "org:admin". Undefined when it is no role. */
export function parseRole(text: string): Role | undefined {
  const name = text.trim().toLowerCase();
  return roles.find((role) => role === name || role === `org:${name}`);
}
