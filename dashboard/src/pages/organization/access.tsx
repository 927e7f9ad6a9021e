import { roleName, useMember } from '../../api/organization.ts';
import { useSession } from '../../api/session.ts';
import { Badge } from '../../components/badge.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { capitalize } from '../../components/text.ts';
import styles from './organization.module.css';

/**
 * What the owner of the signed-in key may change. Assumes nothing until the server has confirmed
 * their role. The server enforces all of this; here it decides which buttons to show.
 */
export function useAccess() {
  const { key, canWrite } = useSession();
  const { data: me, error, refetch } = useMember(key.creator_user_id);
  // A read-only key gives no rights, whatever its owner's role.
  const isAdmin = canWrite && me?.role === 'org:admin';
  return {
    me,
    isAdmin,
    isMe: (userId: string) => userId === key.creator_user_id,
    canChangeKeysOf: (ownerId: string) => canWrite && (isAdmin || ownerId === key.creator_user_id),
    /** Set if the role could not be loaded and it matters, since the key can write. */
    failure: canWrite && me === undefined && error ? { error, retry: () => void refetch() } : undefined,
    /** Explains why there are no buttons; undefined if there are. */
    restriction: !canWrite
      ? 'This management key is read-only.'
      : me === undefined || isAdmin
        ? undefined
        : `You are signed in as ${me.email}, a member. Only admins can make changes here.`,
  };
}

/** Explains missing buttons if the user's role could not be loaded; otherwise renders nothing. */
export function AccessNotice() {
  const { failure } = useAccess();
  if (failure === undefined) return null;
  return (
    <div className={styles.notice}>
      <ErrorNotice {...failure} title="Could not load your permissions, so some buttons are hidden" />
    </div>
  );
}

/** "Admin" or "Member". */
export function RoleBadge({ role }: { readonly role: string }) {
  const name = roleName(role);
  return <Badge tone={name === 'admin' ? 'accent' : 'neutral'}>{capitalize(name)}</Badge>;
}
