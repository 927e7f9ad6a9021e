import type { Member } from '../api/members.ts';
import type { Workspace } from '../api/workspaces.ts';
import { isUuid } from '../core/organization/workspace.ts';
import type { ApiClient } from './api-client.ts';

/**
 * Members and workspaces by the names that people use: email addresses and slugs. Lookups are
 * needed where the API accepts only an ID, or where its response does not identify what was
 * changed. They throw a `CommandError` of the kind `not_found` if there is no match.
 */

export async function findMember(api: ApiClient, idOrEmail: string): Promise<Member> {
  return (await api.call('GET /organization/members/:id', { params: { id: idOrEmail } })).content.data;
}

export async function findWorkspace(api: ApiClient, idOrSlug: string): Promise<Workspace> {
  return (await api.call('GET /workspaces/:id', { params: { id: idOrSlug } })).content.data;
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
