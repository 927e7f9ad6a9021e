export type Role = 'org:admin' | 'org:member';

export const roles: readonly Role[] = ['org:admin', 'org:member'];

export interface Organization {
  readonly id: string;
  readonly name: string;
  readonly defaultWorkspaceId: string;
}

export interface Member {
  readonly id: string;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly role: Role;
}

export interface MemberPage {
  readonly members: readonly Member[];
  readonly totalCount: number;
}

export interface Page {
  readonly offset: number;
  readonly limit: number;
}

/** Two spellings of one mailbox are the same member. */
export function emailKey(email: string): string {
  return email.trim().toLowerCase();
}
