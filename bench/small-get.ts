import { managementKey } from './database.ts';
import type { Question } from './measure.ts';

/**
 * What does a plain read cost whose answer is as large as that of a create? A page of this many members is: the
 * answer to the create of these benchmarks has 2,435 bytes.
 */
export const smallGet: Question = {
  name: 'small-get',
  aim: 0.7,
  requests: [
    {
      method: 'GET',
      path: '/api/v1/organization/members?limit=15',
      headers: { authorization: `Bearer ${managementKey}` },
    },
  ],
};
