import type { PresetdError } from './errors.ts';
import { invalidBody } from './request-issues.ts';

export function slugTaken(slug: string): PresetdError {
  const message = `is ${slug}, which another workspace has`;
  return invalidBody([{ path: '/slug', message }]);
}
