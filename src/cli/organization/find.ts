import type { Workspace } from '../../api/workspaces.ts';
import type { One } from '../../client/answers.ts';
import type { Key, Member } from '../../client/organization-answers.ts';
import { isUuid } from '../../core/organization/workspace.ts';
import type { ApiClient } from '../api-client.ts';
import { CommandError } from '../command-error.ts';
import { keyPath, memberPath, workspacePath } from './path.ts';

/**
 * Lookups by the names that people use: e-mail addresses, slugs and key labels. Needed where the
 * API accepts only an ID, or where its response does not identify what was changed. All of them
 * throw a `CommandError` of the kind `not_found` if there is no match.
 */

export async function findMember(api: ApiClient, idOrEmail: string): Promise<Member> {
  return (await api.send<One<Member>>({ path: memberPath(idOrEmail) })).content.data;
}

/** Falls back to the ID if the member has left or this key may not read members. */
export async function emailOrId(api: ApiClient, id: string): Promise<string> {
  try {
    return (await findMember(api, id)).email;
  } catch (error) {
    if (error instanceof CommandError && /^(not_found|authentication)$/.test(error.kind)) return id;
    throw error;
  }
}

/** One at a time, so that the error names the first one that does not exist. */
export async function findMembers(
  api: ApiClient,
  idsOrEmails: readonly string[],
): Promise<readonly Member[]> {
  const members: Member[] = [];
  for (const idOrEmail of idsOrEmails) members.push(await findMember(api, idOrEmail));
  return members;
}

export async function findWorkspace(api: ApiClient, idOrSlug: string): Promise<Workspace> {
  return (await api.send<One<Workspace>>({ path: workspacePath(idOrSlug) })).content.data;
}

/**
 * IDs are not looked up: the server checks them anyway. Undefined stays undefined, for the default
 * workspace.
 */
export async function workspaceIdOf(
  api: ApiClient,
  idOrSlug: string | undefined,
): Promise<string | undefined> {
  if (idOrSlug === undefined || isUuid(idOrSlug)) return idOrSlug;
  return (await findWorkspace(api, idOrSlug)).id;
}

export async function findKey(api: ApiClient, key: string): Promise<Key> {
  return (await api.send<One<Key>>({ path: keyPath(key) })).content.data;
}
