import { managementKey } from './database.ts';
import type { Workload } from './measure.ts';

/** Throughput of pages of members, at the default page size, in an organization of a thousand. */
export const membersList: Workload = {
  name: 'members-list',
  target: 0.6,
  requests: [
    {
      method: 'GET',
      path: '/api/v1/organization/members?limit=50',
      headers: { authorization: `Bearer ${managementKey}` },
    },
  ],
};
