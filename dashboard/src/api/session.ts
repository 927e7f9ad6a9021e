import { createContext, useContext } from 'react';
import type { CurrentKey } from '../../../src/api/keys.ts';
import type { Api } from './api.ts';

/** The key of the signed-in user and what it allows. `SessionGate` provides it. */
export interface Session {
  readonly api: Api;
  /** The key itself, for commands that the user copies. Never put it in a URL. */
  readonly secret: string;
  readonly key: CurrentKey;
  readonly isManagement: boolean;
  /** False for read-only management keys. */
  readonly canWrite: boolean;
  /** The workspace that a management key shows; undefined for the default one, and for API keys. */
  readonly workspaceId: string | undefined;
  chooseWorkspace(workspaceId: string | undefined): void;
  /** Continues this session with a new secret of the same key, after a rotation. */
  replaceSecret(secret: string): void;
  signOut(): void;
}

export const SessionContext = createContext<Session | undefined>(undefined);

/** Throws outside of `SessionGate`. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('useSession must be used inside SessionGate.');
  return session;
}
