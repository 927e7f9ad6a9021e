import { apiKey } from './database.ts';
import type { Workload } from './measure.ts';
import { supportRequest } from './support-request.ts';

const slugCount = 500;

/** Throughput of creates. Most add a version to an existing preset, as in a team's daily work. */
export const create: Workload = {
  name: 'create',
  target: 0.45,
  requests: Array.from({ length: slugCount }, (_, index) => ({
    method: 'POST',
    path: `/api/v1/presets/support-assistant-${index}/chat/completions`,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(supportRequest(1_000 + index)),
  })),
};
