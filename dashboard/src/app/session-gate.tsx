import { Fragment, type ReactNode, useEffect, useMemo } from 'react';
import { Redirect, useLocation, useRoute, useSearch } from 'wouter';
import type { Account, WorkspaceAccess } from '../../../src/api/account.ts';
import type { Right } from '../../../src/core/organization/right.ts';
import { mayIn } from '../api/rights.ts';
import { SessionContext } from '../api/session.ts';
import { signInPath } from '../components/addresses.ts';
import { CheckingPage } from '../components/card-page.tsx';
import { useAuthentication } from './authentication.tsx';
import { readWorkspace, rememberWorkspace, startWorkspace } from './last-workspace.ts';
import { ShellSkeleton } from './shell-skeleton.tsx';

/** Renders its children for signed-in users, and leads everyone else to the sign-in page. */
export function SessionGate({ children }: { readonly children: ReactNode }) {
  const { state, refresh, replaceSecret, signOut } = useAuthentication();
  const [path] = useLocation();
  const search = useSearch();
  const signedIn = state.kind === 'in' ? state : undefined;
  const account = signedIn?.account;
  const workspace = useWorkspaceOfPage(account);
  const session = useMemo(
    () =>
      signedIn && {
        api: signedIn.api,
        account: signedIn.account,
        secret: signedIn.secret,
        workspace,
        workspaceId: signedIn.account.credential.kind === 'api' ? undefined : workspace?.id,
        may: (right: Right) => workspace !== undefined && mayIn(signedIn.account, workspace, right),
        hasOrganization: signedIn.account.credential.kind !== 'api' && signedIn.account.organization !== null,
        refresh,
        replaceSecret,
        signOut,
      },
    [signedIn, workspace, refresh, replaceSecret, signOut],
  );

  if (state.kind === 'checking') {
    // A device is approved on a card, like a sign-in.
    const isFramed = path !== '/device' && !state.error;
    return isFramed ? (
      <ShellSkeleton path={path} />
    ) : (
      <CheckingPage error={state.error} onRetry={state.retry} />
    );
  }
  if (session === undefined) {
    const isDeliberate = state.kind === 'out' && state.isDeliberate;
    const here = path + (search && `?${search}`) + location.hash;
    return <Redirect to={isDeliberate ? '/sign-in' : signInPath(here)} replace />;
  }
  // Another person in another tab: no state of the pages may stay.
  return (
    <SessionContext value={session}>
      <Fragment key={session.account.id}>{children}</Fragment>
    </SessionContext>
  );
}

/** The workspace that the address names, or the last one used; it is remembered from then on. */
function useWorkspaceOfPage(account: Account | undefined): WorkspaceAccess | undefined {
  const [isNamed, params] = useRoute('/w/:workspace/*?');
  const named = isNamed ? params.workspace : undefined;
  const workspace = useMemo(() => {
    const workspaces = account?.workspaces ?? [];
    if (named !== undefined) return workspaces.find(({ slug }) => slug === named);
    const last = readWorkspace();
    return workspaces.find(({ id }) => id === last) ?? startWorkspace(workspaces);
  }, [account, named]);
  useEffect(() => {
    if (named !== undefined && workspace !== undefined) rememberWorkspace(workspace.id);
  }, [named, workspace]);
  return workspace;
}
