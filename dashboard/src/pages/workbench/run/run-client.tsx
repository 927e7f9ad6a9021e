/**
 * The client that runs call models with. Management keys cannot call models, so people who signed
 * in with one enter an API key of the workspace. It stays in memory until they sign out or reload.
 */

import { createContext, type ReactNode, useContext, useState } from 'react';
import type { Account } from '../../../../../src/api/account.ts';
import type { Api } from '../../../api/api.ts';
import { canCallModels } from '../../../api/rights.ts';
import { useSession, useWorkspaceAccess } from '../../../api/session.ts';
import { Button } from '../../../components/button.tsx';
import { KeyForm } from '../../../components/key-form.tsx';
import { Notice } from '../../../components/notice.tsx';
import workbench from '../workbench.module.css';
import styles from './run.module.css';

interface RunClient {
  readonly api: Api;
  /** Undefined for a key, which belongs to a workspace. */
  readonly workspaceId: string | undefined;
}

const RunClientContext = createContext<RunClient | undefined>(undefined);

export function useRunClient(): RunClient {
  const client = useContext(RunClientContext);
  if (client === undefined) throw new Error('useRunClient must be used inside RunClientProvider.');
  return client;
}

interface EnteredKey {
  readonly api: Api;
  readonly label: string;
}

/** By the client of the session, so that signing out drops them, and by workspace. */
const enteredKeys = new WeakMap<Api, Map<string, EnteredKey>>();

/** The client for calls of models in a workspace. */
export function callingApi(api: Api, workspaceId: string | undefined): Api {
  const entered = workspaceId === undefined ? undefined : enteredKeys.get(api)?.get(workspaceId);
  return entered?.api ?? api;
}

/** Shows its children once there is a client. */
export function RunClientProvider({ children }: { readonly children: ReactNode }) {
  const { api, workspaceId, account } = useSession();
  if (!canCallModels(account.credential))
    return <WithEnteredKey key={workspaceId}>{children}</WithEnteredKey>;
  return <RunClientContext value={{ api, workspaceId }}>{children}</RunClientContext>;
}

function WithEnteredKey({ children }: { readonly children: ReactNode }) {
  const { api } = useSession();
  const workspace = useWorkspaceAccess();
  const entered = enteredKeys.get(api) ?? new Map<string, EnteredKey>();
  const [key, setKey] = useState(() => entered.get(workspace.id));
  const use = (changed: EnteredKey | undefined) => {
    if (changed === undefined) entered.delete(workspace.id);
    else entered.set(workspace.id, changed);
    enteredKeys.set(api, entered);
    setKey(changed);
  };
  if (key === undefined)
    return (
      <Notice title="Management keys cannot call models">
        <KeyForm
          label="API key of this workspace"
          hint="Forgotten when you sign out or reload. Previews need the scope “read”; running the draft needs “write”."
          problemWith={(account) => problemWith(account, workspace.id)}
          onUse={({ secret, account }) => use({ api: api.withKey(secret), label: account.credential.label })}
        />
      </Notice>
    );
  return (
    <RunClientContext value={{ api: key.api, workspaceId: undefined }}>
      <div className={styles.withKey}>
        <div className={workbench.header}>
          <span className="note">
            Runs use the API key <code>{key.label}</code>
          </span>
          <Button isSmall onClick={() => use(undefined)}>
            Stop using this key
          </Button>
        </div>
        {children}
      </div>
    </RunClientContext>
  );
}

function problemWith({ credential, workspaces }: Account, workspaceId: string): string | undefined {
  if (!canCallModels(credential)) return 'This is a management key. Enter an API key.';
  const [own] = workspaces;
  if (own?.id === workspaceId) return undefined;
  // Its calls would run the preset of that workspace.
  return `This key belongs to ${own === undefined ? 'another workspace' : `the workspace ${own.name}`}.`;
}
