import { managementKey } from './database.ts';
import type { Question } from './measure.ts';

/** How many pages a second of an organization of a thousand members, at the default length of a page? */
export const membersList: Question = {
  name: 'members-list',
  aim: 0.7,
  requests: [
    {
      method: 'GET',
      path: '/api/v1/organization/members?limit=50',
      headers: { authorization: `Bearer ${managementKey}` },
    },
  ],
};
