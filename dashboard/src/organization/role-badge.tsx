import { Badge } from '../ui/badge.tsx';
import { capitalize } from '../ui/capitalize.ts';
import { roleName } from './role-name.ts';

/** "Admin" or "Member". */
export function RoleBadge({ role }: { readonly role: string }) {
  const name = roleName(role);
  return <Badge tone={name === 'admin' ? 'accent' : 'neutral'}>{capitalize(name)}</Badge>;
}
