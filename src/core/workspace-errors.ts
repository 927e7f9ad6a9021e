import { PresetdError } from './errors.ts';

export function slugTaken(slug: string): PresetdError {
  const message = `is ${slug}, which another workspace has`;
  return new PresetdError('invalid_request', `The request body is not valid: /slug ${message}.`, {
    issues: [{ path: '/slug', message }],
  });
}
