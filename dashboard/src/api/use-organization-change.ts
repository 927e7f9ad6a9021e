import { useMutation } from '@tanstack/react-query';
import { useSession } from '../session/session.tsx';
import type { ApiRequest } from './api.ts';
import { useForgetOrganization } from './organization.ts';

/** Any change of the organization; afterwards, everything that is shown of it is asked for again. */
export function useOrganizationChange<T = unknown>(onDone?: (content: T) => void) {
  const { api } = useSession();
  const forget = useForgetOrganization();
  return useMutation({
    // The answer may hold a secret, so it is handed on and not kept.
    mutationFn: async (request: ApiRequest): Promise<void> => {
      const { content } = await api.send<T>(request);
      onDone?.(content);
    },
    onSettled: () => void forget(),
  });
}
