import { useMember } from '../api/organization.ts';
import { useSession } from '../session/session.tsx';

/** What the owner of this session's key may do; nothing before it is known. */
export function useAccess() {
  const { key, canWrite } = useSession();
  const { data: me, error, refetch } = useMember(key.creator_user_id);
  const isAdmin = canWrite && me?.role === 'org:admin';
  return {
    me,
    isAdmin,
    isMe: (userId: string) => userId === key.creator_user_id,
    mayChangeKeysOf: (ownerId: string) => canWrite && (isAdmin || ownerId === key.creator_user_id),
    /** Why it is not known what may be done; undefined where it is, or does not matter. */
    failure: canWrite && me === undefined && error ? { error, retry: () => void refetch() } : undefined,
    /** Why there are no buttons; undefined where there are. */
    limit: !canWrite
      ? 'This management key only reads.'
      : me === undefined || isAdmin
        ? undefined
        : `You are an org:member, and so ${me.email} only reads here. An org:admin can change it.`,
  };
}
