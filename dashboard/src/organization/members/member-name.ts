import type { Member } from '../../../../src/client/organization-answers.ts';

/** The full name; empty if neither part is known. */
export function memberName({ first_name, last_name }: Pick<Member, 'first_name' | 'last_name'>): string {
  return `${first_name} ${last_name}`.trim();
}
