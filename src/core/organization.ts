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

/** Characters that nobody sees are refused: they could make one address look like another. */
export function isEmail(text: string): boolean {
  return /^[^\s@\p{Cc}\p{Cf}]+@[^\s@\p{Cc}\p{Cf}]+$/u.test(text) && text.length <= 254 && text.isWellFormed();
}

const unseen =
  '\\s\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u180e\\u200b-\\u200f' +
  '\\u202a-\\u202e\\u2060-\\u2064\\u2066-\\u206f\\ufeff\\ufff9-\\ufffb';

/** `isEmail` for the API document, without the characters that many regular expression engines cannot put in a class. */
export const emailPattern = `^[^@${unseen}]+@[^@${unseen}]+$`;

export const emailRule = 'must be an e-mail address of at most 254 characters';

export const nameRule = 'must have at most 200 characters and no line breaks or other control characters';

/** Of a person or a key. What breaks a line would break every list that it stands in. */
export function isName(text: string): boolean {
  return text.length <= 200 && !/\p{Cc}/u.test(text);
}

/** `isName` for the API document. */
export const personNamePattern = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$';

/** Two spellings of one mailbox are the same member. */
export function normalizeEmail(email: string): string {
  return email.trim().toLowerCase();
}
