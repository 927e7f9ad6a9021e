import { PresetdError } from '../errors.ts';

export function alreadyMember(email: string): PresetdError {
  return new PresetdError('conflict', `${email} is already a member of the organization.`);
}

export function lastAdmin(email: string): PresetdError {
  return new PresetdError('conflict', `${email} is the last org:admin. Add another one first.`);
}
