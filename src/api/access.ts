import type { Right } from '../core/organization/right.ts';

/**
 * Required of requests for an operation:
 *
 * - `public`: nothing; `anyone`: a key or a session; `key`, `session`: that one
 * - a `Right`: of the caller's role in the workspace and, for an API key, of its scope
 * - `call-write`: like `call`, but no read-only key
 * - `model-call`, `dry-run`, `draft-run`: like `call`, `read` and `write`, but no management key
 * - the others: no API key, and a person who is a member of the organization, a member or an admin
 *   of the workspace, or an admin of the organization; with `-write`, no read-only key either
 *
 * The core enforces it. The contract declares it for the OpenAPI document, and
 * `test/api/access-table.test.ts` compares the declaration with what the server allows.
 */
export type Access =
  | 'public'
  | 'anyone'
  | 'key'
  | 'session'
  | Exclude<Right, 'administer'>
  | 'call-write'
  | 'model-call'
  | 'dry-run'
  | 'draft-run'
  | 'member'
  | 'member-write'
  | 'workspace-member'
  | 'workspace-admin'
  | 'workspace-admin-write'
  | 'org-admin'
  | 'org-admin-write';

/** Other requirements of some requests, by the beginning of a sentence about them. */
export type AccessFor = Readonly<Partial<Record<Access, string>>>;

/** Says in the OpenAPI document what an operation requires. */
export function describeAccess(access: Access, accessFor: AccessFor = {}): string {
  const beyond = Object.entries(accessFor) as [Access, string][];
  return [
    ...(requirements[access] === '' ? [] : [`Requires ${requirements[access]}.`]),
    ...beyond.map(([needed, requests]) => `${requests} requires ${requirements[needed]}.`),
  ].join(' ');
}

const writable = 'a management key with write access or a session';

const requirements: Readonly<Record<Access, string>> = {
  public: '',
  anyone: '',
  key: 'a key',
  session: 'a session',
  call: 'a role in the workspace',
  read: 'the role `viewer` and, for an API key, the scope `read`',
  write: 'the role `editor` and, for an API key, the scope `write`',
  release: 'the role `admin` and, for an API key, the scope `write`',
  'call-write': 'a role in the workspace, and a key with write access if it is a management key',
  'model-call': 'an API key or a session, and a role in the workspace',
  'dry-run': 'an API key with the scope `read` or a session, and the role `viewer`',
  'draft-run': 'an API key with the scope `write` or a session, and the role `editor`',
  member: 'a management key or a session',
  'member-write': writable,
  'workspace-member': 'a management key or a session, and a role in the workspace',
  'workspace-admin': 'a management key or a session, and the role `admin` in the workspace',
  'workspace-admin-write': `${writable}, and the role \`admin\` in the workspace`,
  'org-admin': 'a management key or a session of an org:admin',
  'org-admin-write': `${writable} of an org:admin`,
};
