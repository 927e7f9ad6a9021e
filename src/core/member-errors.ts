import { PresetdError } from './errors.ts';

export function alreadyMember(email: string): PresetdError {
  return new PresetdError('conflict', `${email} is a member of the organization already.`);
}

export function lastAdmin(email: string): PresetdError {
  return new PresetdError('conflict', `${email} is the last org:admin. Add another one first.`);
}
