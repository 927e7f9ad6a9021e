import { keepPreviousData, type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import type { One, Page } from '../../../src/client/answers.ts';
import type { Key, Member, Workspace, WorkspaceMember } from '../../../src/client/organization-answers.ts';
import { useSession } from '../session/session.tsx';
import { type Api, pathOf, type Query } from './api.ts';
import type { PageQuery } from './presets.ts';

export interface MemberFilter extends PageQuery {
  /** Beginnings of words in name or address; empty for all members. */
  readonly q: string;
}

/** In the order of joining. */
export function useMembers(filter: MemberFilter) {
  return usePage<Member>(['members', 'list', filter], '/organization/members', filter);
}

/** By id or e-mail address. */
export function useMember(idOrEmail: string) {
  const { api } = useSession();
  return useQuery({
    queryKey: ['members', 'one', idOrEmail],
    enabled: idOrEmail !== '',
    queryFn: ({ signal }) => findMember(api, idOrEmail, signal),
  });
}

export async function findMember(api: Api, idOrEmail: string, signal?: AbortSignal): Promise<Member> {
  const path = pathOf('organization', 'members', idOrEmail);
  return (await api.send<One<Member>>({ path, ...(signal && { signal }) })).content.data;
}

/** Oldest first. */
export function useWorkspaces(page: PageQuery) {
  return usePage<Workspace>(['workspaces', 'list', page], '/workspaces', page);
}

/** By id or slug. */
export function useWorkspace(idOrSlug: string) {
  const { api } = useSession();
  return useQuery({
    queryKey: ['workspaces', 'one', idOrSlug],
    queryFn: async ({ signal }) =>
      (await api.send<One<Workspace>>({ path: pathOf('workspaces', idOrSlug), signal })).content.data,
  });
}

/** Those to choose from, the oldest hundred. */
export function useWorkspaceChoice() {
  const { api } = useSession();
  return useQuery({
    queryKey: ['workspaces', 'choice'],
    queryFn: async ({ signal }) =>
      (await api.send<Page<Workspace>>({ path: '/workspaces', query: { limit: 100 }, signal })).content.data,
  });
}

/** In the order in which they were added. */
export function useWorkspaceMembers(workspaceId: string, page: PageQuery) {
  const path = pathOf('workspaces', workspaceId, 'members');
  return usePage<WorkspaceMember>(['workspaces', 'members', workspaceId, page], path, page);
}

export interface KeyFilter extends Query {
  readonly workspace_id: string | undefined;
  readonly include_disabled: boolean;
  readonly offset: number;
}

/** Newest first, a hundred at a time; how many there are is not told. */
export function useKeys(filter: KeyFilter) {
  const { api } = useSession();
  return useQuery({
    queryKey: ['keys', filter],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) =>
      (await api.send<Pick<Page<Key>, 'data'>>({ path: '/keys', query: filter, signal })).content.data,
  });
}

/** After a change: who belongs where, and which keys are good, follow from each other. */
function forgetOrganization(queryClient: QueryClient): Promise<unknown> {
  const parts = ['members', 'workspaces', 'keys', 'audit'];
  return Promise.all(parts.map((part) => queryClient.invalidateQueries({ queryKey: [part] })));
}

export function useForgetOrganization(): () => Promise<unknown> {
  const queryClient = useQueryClient();
  return () => forgetOrganization(queryClient);
}

function usePage<T>(queryKey: readonly unknown[], path: string, page: PageQuery) {
  const { api } = useSession();
  return useQuery({
    queryKey,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => (await api.send<Page<T>>({ path, query: { ...page }, signal })).content,
  });
}
