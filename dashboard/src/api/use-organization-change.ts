import { useMutation } from '@tanstack/react-query';
import { useSession } from '../session/session.tsx';
import type { ApiRequest } from './api.ts';
import { useInvalidateOrganization } from './organization.ts';

/** A mutation of members, workspaces or keys. Afterwards all organization data is refetched. */
export function useOrganizationChange<T = unknown>(onDone?: (content: T) => void) {
  const { api } = useSession();
  const invalidate = useInvalidateOrganization();
  return useMutation({
    // The response may contain a new secret. Pass it on instead of returning it, which would keep
    // it in the mutation cache.
    mutationFn: async (request: ApiRequest): Promise<void> => {
      const { content } = await api.send<T>(request);
      onDone?.(content);
    },
    onSettled: () => void invalidate(),
  });
}
