import { useMember } from '../api/organization.ts';
import { useSession } from '../session/session.tsx';

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
