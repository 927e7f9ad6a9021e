import { useQuery } from '@tanstack/react-query';
import type { One } from '../../../src/client/answers.ts';
import type { CurrentKey } from '../../../src/client/organization-answers.ts';
import type { Api } from '../api/api.ts';

/**
 * What the server says about the key. Fetched once per session, since a key never changes its kind.
 */
export function useCurrentKey(api: Api | undefined) {
  return useQuery({
    queryKey: ['key'],
    enabled: api !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }): Promise<CurrentKey> => {
      if (api === undefined) throw new Error('useCurrentKey ran without a key.');
      return (await api.send<One<CurrentKey>>({ path: '/key', signal })).content.data;
    },
  });
}
