import { apiKey, readSlugs } from './database.ts';
import type { Question } from './measure.ts';

/**
 * How many reads a second of presets that are in use? The bare server answers the same bytes from memory, without
 * looking at who asks.
 */
export const getPreset: Question = {
  name: 'get-preset',
  aim: 0.7,
  requests: readSlugs.map((slug) => ({
    method: 'GET',
    path: `/api/v1/presets/${slug}`,
    headers: { authorization: `Bearer ${apiKey}` },
  })),
};
