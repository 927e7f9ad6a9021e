import { roleName } from '../../api/organization.ts';
import { isOrganizationAdmin } from '../../api/rights.ts';
import { useSession } from '../../api/session.ts';
import { Badge } from '../../components/badge.tsx';
import { capitalize } from '../../components/text.ts';

/**
 * Whether the user may change the organization. The server enforces it; here it decides which
 * buttons to show.
 */
export function useAccess() {
  const { account } = useSession();
  const isAdmin = isOrganizationAdmin(account);
  const canWrite = account.credential.scope === 'write';
  return {
    isAdmin,
    canWrite,
    isMe: (userId: string) => userId === account.id,
    /** Explains why there are no buttons; undefined if there are. */
    restriction: !canWrite
      ? 'This management key is read-only.'
      : isAdmin
        ? undefined
        : `You are signed in as ${account.email}, a member. Only admins can make changes here.`,
  };
}

/** "Admin" or "Member". */
export function RoleBadge({ role }: { readonly role: string }) {
  const name = roleName(role);
  return <Badge tone={name === 'admin' ? 'accent' : 'neutral'}>{capitalize(name)}</Badge>;
}
