/**
 * Queries for people, workspaces and keys, which need a session or a management key.
 *
 * Query keys begin with the resource (`people`, `workspaces`, `keys`, `audit`), so that one change
 * can invalidate everything it may affect.
 */

import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { ApiResponse, Input, ResponseOf, Route } from '../../../src/api/client.ts';
import type { Key } from '../../../src/api/keys.ts';
import { keysPerPage } from '../../../src/api/limits.ts';
import { isMemberCountExact } from '../../../src/api/member-count.ts';
import type { Member } from '../../../src/api/members.ts';
import type { Person } from '../../../src/api/people.ts';
import type { Workspace, WorkspaceMember } from '../../../src/api/workspaces.ts';
import { type Api, withoutEmpty } from './api.ts';
import type { PageQuery } from './presets.ts';
import { useOffsetRows, useRowSource } from './row-source.ts';
import { useSession } from './session.ts';

interface MemberFilter extends PageQuery {
  /** Word prefixes to match in names and email addresses; empty for all members. */
  readonly q: string;
}

/** In the order in which they joined. */
export function useMembers(filter: MemberFilter) {
  return usePage(['members', 'list', filter], (api, signal) =>
    api.call('GET /organization/members', { query: withoutEmpty(filter) }, { signal }),
  );
}

/** Enough for all but the largest organizations; the others are shown by their address. */
const directoryMax = 1_000;

const membersPerPage = 100;

/** Members by address. */
export type Directory = ReadonlyMap<string, Member>;

const emptyDirectory: Directory = new Map();

/**
 * Finds people by their email address, because most of the API returns only that. Empty until it is
 * loaded, and for a user with an API key, who may not read it.
 */
export function useDirectory(): { readonly directory: Directory; readonly isLoading: boolean } {
  const { api, hasOrganization } = useSession();
  const { data = emptyDirectory, isLoading } = useQuery({
    queryKey: ['members', 'directory'],
    enabled: hasOrganization,
    staleTime: 300_000,
    // Without names, the page shows addresses, so it need not wait.
    retry: false,
    // Otherwise each name on the page would fetch again when it is mounted, and flicker.
    retryOnMount: false,
    queryFn: async ({ signal }) => {
      const found = new Map<string, Member>();
      for (let offset = 0; offset < directoryMax; offset += membersPerPage) {
        const query = { offset, limit: membersPerPage };
        const { data: page } = (await api.call('GET /organization/members', { query }, { signal })).content;
        for (const member of page) found.set(member.email, member);
        if (page.length < membersPerPage) break;
      }
      return found;
    },
  });
  return { directory: data, isLoading };
}

/** Members with their accounts, in the order in which they joined. `q` as in `useMembers`. */
export function usePeopleRows(q: string) {
  const { api } = useSession();
  return useOffsetRows<Person>({
    queryKey: ['people', 'rows', q],
    keyOf: ({ id }) => id,
    fetch: async (page, signal) => {
      const query = withoutEmpty({ ...page, q });
      return (await api.call('GET /organization/people', { query }, { signal })).content;
    },
    isTotalExact: (page, offset) => isMemberCountExact(page, offset, q),
  });
}

/** The sessions of a person, most recently used first. Admins only. */
export function usePersonSessions(id: string) {
  return usePage(['people', 'sessions', id], (api, signal) =>
    api.call('GET /organization/people/:id/sessions', { params: { id } }, { signal }),
  );
}

/** The user's own sessions, most recently used first. Not with a key. */
export function useOwnSessions() {
  return usePage(['account', 'sessions'], (api, signal) => api.call('GET /account/sessions', {}, { signal }));
}

/** Returns a function from the ID of a sign-in provider to its name; unknown ones keep their ID. */
export function useProviderNames(): (id: string) => string {
  const { api } = useSession();
  const { data } = useQuery({
    queryKey: ['sign-in options'],
    staleTime: 60_000,
    queryFn: async ({ signal }) => (await api.call('GET /sign-in', {}, { signal })).content.data,
  });
  return useCallback((id) => data?.providers.find((provider) => provider.id === id)?.name ?? id, [data]);
}

/** Oldest first. */
export function useWorkspaceRows() {
  const { api } = useSession();
  return useOffsetRows<Workspace>({
    queryKey: ['workspaces', 'rows'],
    keyOf: ({ id }) => id,
    fetch: async (query, signal) => (await api.call('GET /workspaces', { query }, { signal })).content,
  });
}

/** By ID or slug. */
export function useWorkspace(idOrSlug: string) {
  const { api } = useSession();
  return useQuery({
    queryKey: ['workspaces', 'one', idOrSlug],
    queryFn: async ({ signal }) =>
      (await api.call('GET /workspaces/:id', { params: { id: idOrSlug } }, { signal })).content.data,
  });
}

/** In the order in which they were added. */
export function useWorkspaceMemberRows(workspaceId: string) {
  const { api } = useSession();
  return useOffsetRows<WorkspaceMember>({
    queryKey: ['workspaces', 'members', workspaceId],
    keyOf: ({ user_id }) => user_id,
    fetch: async (query, signal) => {
      const input = { params: { id: workspaceId }, query };
      return (await api.call('GET /workspaces/:id/members', input, { signal })).content;
    },
  });
}

/**
 * Workspace by workspace, newest first. The API does not return a total for keys. Without the id of
 * a workspace, it lists those of the default one and all management keys.
 */
export function useKeyRows(
  filter: Omit<NonNullable<Input<'GET /keys'>['query']>, 'workspace_id' | 'offset'>,
  workspaceIds: readonly (string | undefined)[] = [undefined],
) {
  const { api } = useSession();
  return useRowSource<Key, `${number}:${number}`>({
    queryKey: ['keys', filter, workspaceIds],
    keyOf: ({ hash }) => hash,
    fetchPage: async (position = '0:0', signal) => {
      const [index = 0, offset = 0] = position.split(':').map(Number);
      const query = { ...filter, workspace_id: workspaceIds[index], offset };
      const { data: rows } = (await api.call('GET /keys', { query }, { signal })).content;
      if (rows.length === keysPerPage) return { rows, next: `${index}:${offset + rows.length}` };
      return { rows, next: index + 1 < workspaceIds.length ? `${index + 1}:0` : undefined };
    },
  });
}

/** A page of a list. Keeps showing the previous page while the next one loads. */
function usePage<Page extends object>(
  queryKey: readonly unknown[],
  fetchPage: (api: Api, signal: AbortSignal) => Promise<ApiResponse<Page>>,
) {
  const { api } = useSession();
  return useQuery<Page>({
    queryKey,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => (await fetchPage(api, signal)).content,
  });
}

/**
 * A mutation of members, workspaces or keys: `mutate` takes a function that makes the call.
 * Afterwards all organization data is refetched.
 */
export function useOrganizationChange<R extends Route>(onDone?: (content: ResponseOf<R>) => void) {
  const { api } = useSession();
  const invalidate = useInvalidateOrganization();
  return useMutation({
    // The response may contain a new secret. Pass it on instead of returning it, which would keep
    // it in the mutation cache.
    mutationFn: async (change: (api: Api) => Promise<ApiResponse<ResponseOf<R>>>): Promise<void> => {
      const { content } = await change(api);
      onDone?.(content);
    },
    onSettled: () => void invalidate(),
  });
}

/**
 * Returns a function that marks everything as stale: removing a member, for example, also changes
 * workspaces, keys and the audit log.
 */
export function useInvalidateOrganization(): () => Promise<unknown> {
  const queryClient = useQueryClient();
  const parts = ['account', 'members', 'people', 'workspaces', 'keys', 'audit'];
  return () => Promise.all(parts.map((part) => queryClient.invalidateQueries({ queryKey: [part] })));
}

/** The full name; empty if neither part is known. */
export function personName({ first_name, last_name }: Pick<Person, 'first_name' | 'last_name'>): string {
  return `${first_name} ${last_name}`.trim();
}

/**
 * The word people use for a role. The API says `org:admin` for members of the organization and
 * `admin` for members of a workspace; an unknown role is returned as is.
 */
export function roleName(role: unknown): string {
  return String(role).replace(/^org:/, '');
}
