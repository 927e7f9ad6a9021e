import { useQuery } from '@tanstack/react-query';
import type { One } from '../../../src/client/answers.ts';
import type { CurrentKey } from '../../../src/client/organization-answers.ts';
import type { Api } from '../api/api.ts';

/** Asks the server what the key is; once for a session, since a key does not change its kind. */
export function useStartedSession(api: Api | undefined) {
  return useQuery({
    queryKey: ['key'],
    enabled: api !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }): Promise<CurrentKey> => {
      if (api === undefined) throw new Error('There is no key to ask about.');
      return (await api.send<One<CurrentKey>>({ path: '/key', signal })).content.data;
    },
  });
}
