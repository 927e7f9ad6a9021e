/**
 * The signed-in person.
 *
 * People sign in with their account: the server then sets a cookie that scripts cannot read, and
 * all tabs share it. This provider asks the server whether there is a session. It ends when the
 * user signs out, in any tab, or when the server responds with 401.
 *
 * Signing in with a key still works, for when nobody can sign in otherwise. The key lives in
 * `sessionStorage`: it survives a reload, is never shared with another tab, and is gone when the
 * tab closes.
 *
 * Ending a session aborts every request in flight and clears the query cache. Only signing out also
 * deletes drafts, so that an expired session does not lose typed text.
 */

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react';
import { flushSync } from 'react-dom';
import type { Account } from '../../../src/api/account.ts';
import { type Api, createApi } from '../api/api.ts';
import { isStatus } from '../api/api-error.ts';
import type { Session } from '../api/session.ts';
import { readItem, removeDrafts, removeItem, storeItem } from '../api/tab-storage.ts';
import { forgetWorkspace } from './last-workspace.ts';

interface Authentication {
  readonly state: SignInState;
  /** After a sign-in that set the cookie. */
  begin(account: Account): void;
  signInWithKey(key: string): void;
  signOut: Session['signOut'];
  replaceSecret: Session['replaceSecret'];
  refresh: Session['refresh'];
}

type SignInState =
  | { readonly kind: 'checking'; readonly error: unknown; readonly retry: () => void }
  | ({ readonly kind: 'out' } & SignedOut)
  | {
      readonly kind: 'in';
      readonly api: Api;
      readonly account: Account;
      readonly secret: string | undefined;
    };

interface SignedOut {
  /** Why the user has to sign in again. */
  readonly notice?: string;
  /** They had used a key, so they are asked for another. */
  readonly usedKey?: boolean;
  /** The rejected key, put back into the field for correction, and the server's message. */
  readonly rejected?: { readonly key: string; readonly message: string };
  /** The user signed out: the next person does not continue on their page. */
  readonly isDeliberate?: boolean;
}

const AuthenticationContext = createContext<Authentication | undefined>(undefined);

export function useAuthentication(): Authentication {
  const authentication = useContext(AuthenticationContext);
  if (authentication === undefined) throw new Error('useAuthentication must be used inside its provider.');
  return authentication;
}

const accountKey = ['account'] as const;

export function AuthenticationProvider({ children }: { readonly children: ReactNode }) {
  const queryClient = useQueryClient();
  const [key, setKey] = useState(() => readItem('key'));
  const [signedOut, setSignedOut] = useState<SignedOut>();
  const [aborter, setAborter] = useState(() => new AbortController());

  /** Requests in flight, and a pending undo, must not continue as somebody who has signed out. */
  const startOver = useCallback(() => {
    aborter.abort();
    setAborter(new AbortController());
    removeItem('key');
    setKey(undefined);
    queryClient.clear();
  }, [queryClient, aborter]);
  const end = useCallback(
    (how: SignedOut) => {
      startOver();
      setSignedOut(how);
    },
    [startOver],
  );
  const endDeliberately = useCallback(
    (notice?: string) => {
      // Unmounting a page saves its draft, so unmount before deleting drafts.
      flushSync(() => end({ isDeliberate: true, ...(notice !== undefined && { notice }) }));
      removeDrafts();
      forgetWorkspace();
    },
    [end],
  );

  const api = useMemo(() => {
    const { signal } = aborter;
    const onUnauthorized = (message: string) => {
      // A late 401 for a previous session says nothing about the current one.
      if (signal.aborted || readItem('key') !== key) return;
      const isStarted = queryClient.getQueryData(accountKey) !== undefined;
      if (key === undefined) end(isStarted ? { notice: 'Your session has ended. Sign in to continue.' } : {});
      // A mistyped key returns to the field for correction; one that used to work does not.
      else if (isStarted) end({ usedKey: true, notice: `Your key no longer works. ${message}` });
      else end({ usedKey: true, rejected: { key, message } });
    };
    return createApi(key, { sessionSignal: signal, onUnauthorized });
  }, [key, end, aborter, queryClient]);

  const { data, error, refetch } = useQuery({
    queryKey: accountKey,
    enabled: signedOut === undefined,
    // Roles rarely change. A tab that was in the background asks again.
    staleTime: 30_000,
    queryFn: async ({ signal }): Promise<Account> =>
      (await api.call('GET /account', {}, { signal })).content.data,
  });
  const account = signedOut === undefined ? data : undefined;

  const begin = useCallback(
    (signedIn: Account) => {
      startOver();
      setSignedOut(undefined);
      queryClient.setQueryData(accountKey, signedIn);
    },
    [startOver, queryClient],
  );
  const notifyOtherTabs = useOtherTabs({
    accountId: account?.id,
    isShared: key === undefined,
    isChecking: signedOut === undefined && account === undefined,
    onSignedOut: useCallback(() => endDeliberately('You signed out in another tab.'), [endDeliberately]),
    // Somebody else may have signed in: nothing on screen may stay.
    onSignedIn: useCallback(() => {
      startOver();
      setSignedOut(undefined);
    }, [startOver]),
  });

  const signOut = useCallback(
    async ({ isEnded = false } = {}) => {
      const redirect = key !== undefined || isEnded ? null : await endSession(api);
      if (key === undefined) notifyOtherTabs({ kind: 'signed-out' });
      endDeliberately();
      // Also ends the session at the provider.
      if (redirect !== null) location.assign(redirect);
    },
    [key, api, notifyOtherTabs, endDeliberately],
  );
  const signInWithKey = useCallback((typed: string) => {
    storeItem('key', typed);
    setKey(typed);
    setSignedOut(undefined);
  }, []);
  const replaceSecret = useCallback(
    (next: string) => {
      // The session has ended meanwhile, and another key may be signed in.
      if (aborter.signal.aborted) return;
      storeItem('key', next);
      // Synchronously: every request from here on must use the new secret.
      flushSync(() => setKey(next));
      void queryClient.invalidateQueries({ queryKey: accountKey });
    },
    [queryClient, aborter],
  );
  const refresh = useCallback(async () => void (await refetch()), [refetch]);

  const state = useMemo((): SignInState => {
    if (signedOut !== undefined) return { kind: 'out', ...signedOut };
    if (account === undefined) return { kind: 'checking', error, retry: () => void refetch() };
    return { kind: 'in', api, account, secret: key };
  }, [signedOut, account, error, refetch, api, key]);
  const value = useMemo(
    () => ({ state, begin, signInWithKey, signOut, replaceSecret, refresh }),
    [state, begin, signInWithKey, signOut, replaceSecret, refresh],
  );
  return <AuthenticationContext value={value}>{children}</AuthenticationContext>;
}

/** Returns the provider's page to continue at, if any. A session that has ended already is fine. */
async function endSession(api: Api): Promise<string | null> {
  try {
    return (await api.call('POST /sign-out')).content.data.redirect_to;
  } catch (error) {
    if (isStatus(error, 401)) return null;
    throw error;
  }
}

type Message = { readonly kind: 'signed-in'; readonly accountId: string } | { readonly kind: 'signed-out' };

interface OtherTabsOptions {
  readonly accountId: string | undefined;
  /** False in a tab with a key, which the sessions of other tabs do not concern. */
  readonly isShared: boolean;
  /** The server is about to tell who is signed in now. */
  readonly isChecking: boolean;
  readonly onSignedIn: () => void;
  readonly onSignedOut: () => void;
}

/** Tells other tabs about this one's session, and follows theirs. */
function useOtherTabs({ accountId, isShared, isChecking, onSignedIn, onSignedOut }: OtherTabsOptions) {
  const [channel] = useState(() => new BroadcastChannel('presetd'));
  useEffect(() => {
    channel.onmessage = ({ data }: MessageEvent<Message>) => {
      if (!isShared || isChecking) return;
      if (data.kind === 'signed-in' && data.accountId !== accountId) onSignedIn();
      if (data.kind === 'signed-out' && accountId !== undefined) onSignedOut();
    };
  }, [channel, accountId, isShared, isChecking, onSignedIn, onSignedOut]);
  useEffect(() => {
    if (isShared && accountId !== undefined) channel.postMessage({ kind: 'signed-in', accountId });
  }, [channel, accountId, isShared]);
  return useCallback((message: Message) => channel.postMessage(message), [channel]);
}
