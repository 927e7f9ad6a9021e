import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react';
import { flushSync } from 'react-dom';
import { useLocation, useSearchParams } from 'wouter';
import type { CurrentKey } from '../../../src/client/organization-answers.ts';
import { type Api, createApi } from '../api/api.ts';
import { SignInPage } from './sign-in-page.tsx';
import { StartingPage } from './starting-page.tsx';
import { forget, forgetDrafts, remember, remembered } from './tab-memory.ts';
import { useStartedSession } from './use-started-session.ts';

/** Who is signed in, and with what they reach the server. */
export interface Session {
  readonly api: Api;
  /** The secret itself, for what is shown to be copied with it; never for a URL. */
  readonly secret: string;
  readonly key: CurrentKey;
  readonly isManagement: boolean;
  /** Whether the key may change anything at all. */
  readonly canWrite: boolean;
  /** The workspace that a management key looks at; undefined for its default one, and for API keys. */
  readonly workspaceId: string | undefined;
  chooseWorkspace(workspaceId: string | undefined): void;
  /** Goes on with another secret of the same key. */
  replaceSecret(secret: string): void;
  signOut(): void;
}

const SessionContext = createContext<Session | undefined>(undefined);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('There is no session around this component.');
  return session;
}

/** Shows its children to somebody with a key that works, and to everybody else a page to sign in. */
export function SessionGate({ children }: { readonly children: ReactNode }) {
  const queryClient = useQueryClient();
  const [secret, setSecret] = useState(() => remembered('key'));
  const [refusal, setRefusal] = useState<string>();
  const [tried, setTried] = useState('');
  const [chosenId, setChosenId] = useState(() => remembered('workspace'));
  const addressedId = useWorkspaceFromUrl();
  const workspaceId = addressedId ?? chosenId;
  const [end, setEnd] = useState(() => new AbortController());

  const leave = useCallback(
    (message?: string) => {
      // What is under way, or waits to be undone, must not go on with a key that was given up.
      end.abort();
      setEnd(new AbortController());
      forget('key');
      forget('workspace');
      setSecret(undefined);
      setChosenId(undefined);
      setRefusal(message);
      queryClient.clear();
    },
    [queryClient, end],
  );
  const signOut = useCallback(() => {
    // A page that is left keeps what was typed there; only then can all of it be forgotten.
    flushSync(() => leave());
    forgetDrafts();
  }, [leave]);
  const chooseWorkspace = useCallback((id: string | undefined) => {
    if (id === undefined) forget('workspace');
    else remember('workspace', id);
    setChosenId(id);
  }, []);
  useEffect(() => {
    if (addressedId !== undefined) chooseWorkspace(addressedId);
  }, [addressedId, chooseWorkspace]);
  const replaceSecret = useCallback(
    (next: string) => {
      // Whoever is signed in by now has another key.
      if (end.signal.aborted) return;
      remember('key', next);
      // At once: whatever is asked for from here on has to be asked for with it.
      flushSync(() => setSecret(next));
      void queryClient.invalidateQueries({ queryKey: ['key'] });
    },
    [queryClient, end],
  );
  const api = useMemo(() => {
    if (secret === undefined) return undefined;
    // An answer that comes late says nothing against the key that is used by then.
    const onRefusedKey = (message: string) => {
      if (remembered('key') !== secret) return;
      const isStarted = queryClient.getQueryData(['key']) !== undefined;
      // What was typed can be mended; a key that worked before is told to do so no more.
      setTried(isStarted ? '' : secret);
      leave(isStarted ? `Your key does not work any more. The server says: ${message}` : message);
    };
    return createApi(secret, { end: end.signal, onRefusedKey });
  }, [secret, leave, end, queryClient]);
  const start = useStartedSession(api);
  const key = start.data;
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
        refusal={refusal}
        tried={tried}
        onSignIn={(given) => {
          remember('key', given);
          setRefusal(undefined);
          setTried('');
          setSecret(given);
        }}
      />
    );
  if (session === undefined)
    return <StartingPage error={start.error} retry={() => void start.refetch()} leave={signOut} />;
  return <SessionContext value={session}>{children}</SessionContext>;
}

/**
 * A link to a preset may name its workspace, since another may have a preset of the same slug. It counts from the first
 * request on, and stays chosen when the person goes on from there.
 */
function useWorkspaceFromUrl(): string | undefined {
  const [path] = useLocation();
  const [search] = useSearchParams();
  return (path.startsWith('/presets/') && search.get('workspace')) || undefined;
}
