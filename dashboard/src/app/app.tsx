import { Component, type ReactNode } from 'react';
import { Redirect, Route, Switch, useLocation, useSearch } from 'wouter';
import { useSession } from '../api/session.ts';
import { movedAddress } from '../components/addresses.ts';
import { Button } from '../components/button.tsx';
import { lazyComponent, PageSkeleton, PresetSkeleton } from '../components/loading.tsx';
import { ErrorNotice, messageOf } from '../components/notice.tsx';
import { NotFoundPage } from '../components/page.tsx';
import { ToastProvider } from '../components/toasts.tsx';
import { PublicApiReference, PublicFrame } from './api-reference.tsx';
import { AuthenticationProvider, useAuthentication } from './authentication.tsx';
import { NoAccessPage } from './no-access-page.tsx';
import { accountPages, organizationTitles, workspacePages } from './pages.tsx';
import { SessionGate } from './session-gate.tsx';
import { Shell } from './shell.tsx';
import { SignInPage } from './sign-in/sign-in-page.tsx';

// The sign-in page and the preset list are in the main bundle; other pages load on first use to
// keep it small.
const LinkPage = lazyComponent(async () => (await import('./sign-in/link-page.tsx')).LinkPage);
const NewPresetPage = lazyComponent(
  async () => (await import('../pages/workbench/new/new-preset-page.tsx')).NewPresetPage,
  PageSkeleton,
);
const PresetPages = lazyComponent(
  async () => (await import('./preset-pages.tsx')).PresetPages,
  PresetSkeleton,
);
const OrganizationPages = lazyComponent(
  async () => (await import('./organization-pages.tsx')).OrganizationPages,
  PageSkeleton,
);
const DevicePage = lazyComponent(async () => (await import('../pages/device/device-page.tsx')).DevicePage);

const GuidePage = lazyComponent(
  async () => (await import('../pages/guides/guide-page.tsx')).GuidePage,
  PageSkeleton,
);

/** Guides about clients are in a folder. */
const guidePaths = /^\/guides(?:\/([\w/-]*))?$/;

export function App() {
  return (
    <AuthenticationProvider>
      <Pages />
    </AuthenticationProvider>
  );
}

function Pages() {
  const [path] = useLocation();
  const { state } = useAuthentication();
  // People can read the API reference without signing in, but not while it is unknown who they are:
  // it would load twice.
  const isPublic = state.kind === 'out' || (state.kind === 'checking' && state.error !== null);
  return (
    <ErrorBoundary path={path}>
      <Switch>
        <Route path="/sign-in">
          <SignInPage />
        </Route>
        <Route path="/sign-in/link">
          <LinkPage />
        </Route>
        <Route path="/sign-in/device">
          <Redirect to="/device" replace />
        </Route>
        {isPublic && (
          <Route path="/docs">
            <PublicApiReference />
          </Route>
        )}
        {isPublic && (
          <Route path={guidePaths}>
            {({ 0: name = '' }) => (
              <PublicFrame>
                <GuidePage key={name} name={name} />
              </PublicFrame>
            )}
          </Route>
        )}
        <Route>
          <SessionGate>
            <Switch>
              <Route path="/device">
                <DevicePage />
              </Route>
              <Route>
                <FramedPages />
              </Route>
            </Switch>
          </SessionGate>
        </Route>
      </Switch>
    </ErrorBoundary>
  );
}

/** The pages with the navigation above them. */
function FramedPages() {
  const [path] = useLocation();
  return (
    <ToastProvider>
      <Shell>
        <ErrorBoundary path={path}>
          <Switch>
            <Route path="/w/:workspace" nest>
              <WorkspacePages />
            </Route>
            {accountPages.map(({ href, Content }) => (
              <Route key={href} path={href} component={Content} />
            ))}
            <Route path="/organization">
              <Redirect to="/organization/members" replace />
            </Route>
            <Route path="/organization/:part">{({ part }) => <OrganizationPages part={part} />}</Route>
            <Route path={guidePaths}>{({ 0: name = '' }) => <GuidePage key={name} name={name} />}</Route>
            {organizationShortcuts.map(([short, part]) => (
              <Route key={short} path={`/${short}`}>
                <Redirect to={`/organization/${part}`} replace />
              </Route>
            ))}
            {movedPaths.map((moved) => (
              <Route key={moved} path={moved}>
                <ToWorkspace />
              </Route>
            ))}
            <Route>
              <NotFoundPage />
            </Route>
          </Switch>
        </ErrorBoundary>
      </Shell>
    </ToastProvider>
  );
}

/**
 * The pages of a workspace, whose addresses are relative to it. A change of workspace or slug
 * remounts the page, so that no state leaks from one preset to another.
 */
function WorkspacePages() {
  const { workspace } = useSession();
  if (workspace === undefined) return <NoAccessPage />;
  const { id } = workspace;
  return (
    <Switch key={id}>
      <Route path="/">
        <Redirect to="/presets" replace />
      </Route>
      {workspacePages.map(({ href, pattern = href, Content }) => (
        <Route key={href} path={pattern} component={Content} />
      ))}
      <Route path="/new">
        <NewPresetPage />
      </Route>
      <Route<PresetParams> path="/presets/:slug/:tab?/:item?">
        {({ slug, tab, item }) => <PresetPages key={slug} slug={slug} tab={tab} item={item} />}
      </Route>
      <Route>
        <NotFoundPage />
      </Route>
    </Switch>
  );
}

/** Named, because the types of the router do not understand two optional segments. */
type PresetParams = {
  readonly slug: string;
  readonly tab: string | undefined;
  readonly item: string | undefined;
};

/** Addresses that people guess. */
const organizationShortcuts = [
  ['people', 'members'],
  ...Object.keys(organizationTitles).map((part) => [part, part]),
];

/** Addresses of presetd 0.6 and before, which did not name the workspace; and the home page. */
const movedPaths = ['/', '/new', '/presets', '/presets/*'];

function ToWorkspace() {
  const { account, workspace } = useSession();
  const [path] = useLocation();
  const address = movedAddress(path, useSearch(), account.workspaces, workspace);
  return address === undefined ? <NoAccessPage /> : <Redirect to={address} replace />;
}

interface ErrorBoundaryProps {
  /** The current path. Navigating elsewhere clears the error. */
  readonly path: string;
  readonly children: ReactNode;
}

interface ErrorBoundaryState {
  readonly error: unknown;
  readonly path: string;
}

/** Catches render errors, and chunks that failed to load, so that the navigation keeps working. */
class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { error: undefined, path: this.props.path };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  // Another page may work, so an error does not outlive its path.
  static getDerivedStateFromProps({ path }: ErrorBoundaryProps, state: ErrorBoundaryState) {
    return path === state.path ? null : { error: undefined, path };
  }

  override render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    const isLoadFailure = /preload|dynamically imported|module script/i.test(messageOf(error));
    return (
      <div className="stack">
        <h1>{isLoadFailure ? 'Could not load this page' : 'Something went wrong'}</h1>
        {isLoadFailure ? (
          <p>Part of the dashboard could not be loaded. Check your connection.</p>
        ) : (
          <ErrorNotice error={error} />
        )}
        <div>
          <Button onClick={() => location.reload()}>{isLoadFailure ? 'Try again' : 'Reload page'}</Button>
        </div>
      </div>
    );
  }
}
