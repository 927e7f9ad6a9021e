import { createContext, useContext } from 'react';
import type { Account, WorkspaceAccess } from '../../../src/api/account.ts';
import type { Right } from '../../../src/core/organization/right.ts';
import type { Api } from './api.ts';

/** The signed-in person and what they may do. `SessionGate` provides it. */
export interface Session {
  readonly api: Api;
  readonly account: Account;
  /**
   * The key, if the user signed in with one, for commands that they copy. Never put it in a URL.
   */
  readonly secret: string | undefined;
  /**
   * The workspace that the address names or, on other pages, the last one used. Undefined if the
   * user has no access to it.
   */
  readonly workspace: WorkspaceAccess | undefined;
  /** The workspace for requests; undefined for API keys, which belong to one. */
  readonly workspaceId: string | undefined;
  /** Whether the user may do this in the workspace. */
  may(right: Right): boolean;
  /** Whether the API returns members, workspaces and keys: not to API keys. */
  readonly hasOrganization: boolean;
  /** Fetches the account again, after a change to it or to what it can access. */
  refresh(): Promise<void>;
  /** Continues this session with a new secret of the same key, after a rotation. */
  replaceSecret(secret: string): void;
  /**
   * Ends the session in all tabs or, for a key, in this one. Throws if the server could not be
   * reached, which leaves the session as it is. `isEnded`: the server has ended it already.
   */
  signOut(options?: { readonly isEnded?: boolean }): Promise<void>;
}

export const SessionContext = createContext<Session | undefined>(undefined);

/** Throws outside `SessionGate`. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('useSession must be used inside SessionGate.');
  return session;
}

/** For pages of a workspace, which are rendered only if the user has access to it. */
export function useWorkspaceAccess(): WorkspaceAccess {
  const { workspace } = useSession();
  if (workspace === undefined) throw new Error('useWorkspaceAccess must be used inside WorkspacePages.');
  return workspace;
}
