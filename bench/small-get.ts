import { managementKey } from './database.ts';
import type { Workload } from './measure.ts';

/**
 * Cost of a plain read whose response is as large as that of a create, which has 2,435 bytes here:
 * a page of this many members.
 */
export const smallGet: Workload = {
  name: 'small-get',
  target: 0.6,
  requests: [
    {
      method: 'GET',
      path: '/api/v1/organization/members?limit=15',
      headers: { authorization: `Bearer ${managementKey}` },
    },
  ],
};
