import type { PresetdError } from '../errors.ts';
import { invalidBody } from '../request-issues.ts';

/** For stores, which learn from a unique index that the slug is in use. */
export function slugTaken(slug: string): PresetdError {
  const message = `is ${slug}, which another workspace already uses`;
  return invalidBody([{ path: '/slug', message }]);
}
