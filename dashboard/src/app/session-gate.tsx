/**
 * The signed-in state of one browser tab.
 *
 * The key lives in `sessionStorage`: it survives a reload, is never shared with another tab, and is
 * gone when the tab closes. A session starts when `SessionGate` finds a stored key or the user
 * enters one, and the server confirms what kind of key it is. It ends when the user signs out or
 * the server rejects the key with 401. Ending it aborts every request in flight, clears the query
 * cache and returns to the sign-in page; only signing out also deletes drafts, so that an expired
 * key does not lose typed text.
 */

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useCallback, useEffect, useMemo, useState } from 'react';
import { flushSync } from 'react-dom';
import { useLocation, useSearchParams } from 'wouter';
import type { CurrentKey } from '../../../src/api/keys.ts';
import { type Api, createApi } from '../api/api.ts';
import { SessionContext } from '../api/session.ts';
import { readItem, removeDrafts, removeItem, storeItem } from '../api/tab-storage.ts';
import { SignInPage, SigningInPage } from './sign-in-page.tsx';

/** Renders its children once the key is confirmed, and the sign-in page until then. */
export function SessionGate({ children }: { readonly children: ReactNode }) {
  const queryClient = useQueryClient();
  const [secret, setSecret] = useState(() => readItem('key'));
  const [rejection, setRejection] = useState<string>();
  const [rejectedKey, setRejectedKey] = useState('');
  const [selectedId, setSelectedId] = useState(() => readItem('workspace'));
  const idFromUrl = useWorkspaceFromUrl();
  const workspaceId = idFromUrl ?? selectedId;
  const [aborter, setAborter] = useState(() => new AbortController());

  const endSession = useCallback(
    (message?: string) => {
      // Requests in flight, and a pending undo, must not continue with a key that was given up.
      aborter.abort();
      setAborter(new AbortController());
      removeItem('key');
      removeItem('workspace');
      setSecret(undefined);
      setSelectedId(undefined);
      setRejection(message);
      queryClient.clear();
    },
    [queryClient, aborter],
  );
  const signOut = useCallback(() => {
    // Unmounting a page saves its draft, so unmount before deleting drafts.
    flushSync(() => endSession());
    removeDrafts();
  }, [endSession]);
  const chooseWorkspace = useCallback((id: string | undefined) => {
    if (id === undefined) removeItem('workspace');
    else storeItem('workspace', id);
    setSelectedId(id);
  }, []);
  useEffect(() => {
    if (idFromUrl !== undefined) chooseWorkspace(idFromUrl);
  }, [idFromUrl, chooseWorkspace]);
  const replaceSecret = useCallback(
    (next: string) => {
      // The session has ended meanwhile, and another key may be signed in.
      if (aborter.signal.aborted) return;
      storeItem('key', next);
      // Synchronously: every request from here on must use the new secret.
      flushSync(() => setSecret(next));
      void queryClient.invalidateQueries({ queryKey: ['key'] });
    },
    [queryClient, aborter],
  );
  const api = useMemo(() => {
    if (secret === undefined) return undefined;
    // A late 401 for a previous key says nothing about the current one.
    const onUnauthorized = (message: string) => {
      if (readItem('key') !== secret) return;
      const isStarted = queryClient.getQueryData(['key']) !== undefined;
      // A mistyped key returns to the field for correction; one that used to work does not.
      setRejectedKey(isStarted ? '' : secret);
      endSession(isStarted ? `Your key no longer works. ${message}` : message);
    };
    return createApi(secret, { sessionSignal: aborter.signal, onUnauthorized });
  }, [secret, endSession, aborter, queryClient]);
  const currentKey = useCurrentKey(api);
  const key = currentKey.data;
  const session = useMemo(
    () =>
      api && secret && key
        ? {
            api,
            secret,
            key,
            isManagement: key.kind === 'management',
            canWrite: !key.read_only,
            workspaceId: key.kind === 'management' ? workspaceId : undefined,
            chooseWorkspace,
            replaceSecret,
            signOut,
          }
        : undefined,
    [api, secret, key, workspaceId, chooseWorkspace, replaceSecret, signOut],
  );

  if (secret === undefined)
    return (
      <SignInPage
        rejection={rejection}
        rejectedKey={rejectedKey}
        onSignIn={(typed) => {
          storeItem('key', typed);
          setRejection(undefined);
          setRejectedKey('');
          setSecret(typed);
        }}
      />
    );
  if (session === undefined)
    return (
      <SigningInPage error={currentKey.error} onRetry={() => void currentKey.refetch()} onSignOut={signOut} />
    );
  return <SessionContext value={session}>{children}</SessionContext>;
}

/**
 * A link to a preset may name its workspace, since two workspaces may each have a preset of that
 * slug. It applies from the first request on and stays selected afterwards.
 */
function useWorkspaceFromUrl(): string | undefined {
  const [path] = useLocation();
  const [search] = useSearchParams();
  return (path.startsWith('/presets/') && search.get('workspace')) || undefined;
}

/**
 * What the server says about the key. Fetched once per session, since a key never changes its kind.
 */
function useCurrentKey(api: Api | undefined) {
  return useQuery({
    queryKey: ['key'],
    enabled: api !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }): Promise<CurrentKey> => {
      if (api === undefined) throw new Error('useCurrentKey ran without a key.');
      return (await api.call('GET /key', {}, { signal })).content.data;
    },
  });
}
