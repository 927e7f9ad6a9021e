import type { One } from '../../client/answers.ts';
import type { Key, Member, Workspace } from '../../client/organization-answers.ts';
import { isUuid } from '../../core/workspace.ts';
import type { ApiClient } from '../api-client.ts';
import { CommandError } from '../command-error.ts';
import { keyPath, memberPath, workspacePath } from './path.ts';

/** People name things as they know them. Where the server wants an id, or says no more than that it is done, they are looked up. */

export async function findMember(api: ApiClient, idOrEmail: string): Promise<Member> {
  return (await api.send<One<Member>>({ path: memberPath(idOrEmail) })).content.data;
}

/** The e-mail address of a person, or the id if they have left or this key may not read members. */
export async function emailOrId(api: ApiClient, id: string): Promise<string> {
  try {
    return (await findMember(api, id)).email;
  } catch (error) {
    if (error instanceof CommandError && /^(not_found|authentication)$/.test(error.kind)) return id;
    throw error;
  }
}

/** One after the other, so that the first that is not there is the one that is told. */
export async function findMembers(api: ApiClient, all: readonly string[]): Promise<readonly Member[]> {
  const members: Member[] = [];
  for (const idOrEmail of all) members.push(await findMember(api, idOrEmail));
  return members;
}

export async function findWorkspace(api: ApiClient, idOrSlug: string): Promise<Workspace> {
  return (await api.send<One<Workspace>>({ path: workspacePath(idOrSlug) })).content.data;
}

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
