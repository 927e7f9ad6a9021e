import { apiKey } from './database.ts';
import type { Question } from './measure.ts';
import { supportRequest } from './support-request.ts';

const slugCount = 500;

/** How many creates a second? Most make the next version of a preset that exists, as in a team's daily work. */
export const create: Question = {
  name: 'create',
  aim: 0.6,
  requests: Array.from({ length: slugCount }, (_, index) => ({
    method: 'POST',
    path: `/api/v1/presets/support-assistant-${index}/chat/completions`,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(supportRequest(1_000 + index)),
  })),
};
