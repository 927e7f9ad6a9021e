import type { Member } from '../../../../src/client/organization-answers.ts';

/** Empty where neither name is known. */
export function nameOf({ first_name, last_name }: Pick<Member, 'first_name' | 'last_name'>): string {
  return `${first_name} ${last_name}`.trim();
}
