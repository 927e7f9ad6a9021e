import { apiKey, readSlugs } from './database.ts';
import type { Workload } from './measure.ts';

/**
 * Throughput of reads of presets in use. The bare server returns the same bytes from memory,
 * without authenticating.
 */
export const getPreset: Workload = {
  name: 'get-preset',
  target: 0.45,
  requests: readSlugs.map((slug) => ({
    method: 'GET',
    path: `/api/v1/presets/${slug}`,
    headers: { authorization: `Bearer ${apiKey}` },
  })),
};
