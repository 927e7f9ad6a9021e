import { Component, type ReactNode } from 'react';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import { Button } from '../components/button.tsx';
import { lazyComponent } from '../components/loading.tsx';
import { ErrorNotice } from '../components/notice.tsx';
import { NotFoundPage } from '../components/page.tsx';
import { ToastProvider } from '../components/toasts.tsx';
import { PresetsPage } from '../pages/presets/presets-page.tsx';
import { SessionGate } from './session-gate.tsx';
import { Shell } from './shell.tsx';

// The preset list is in the main bundle; other pages load on first use to keep it small.
const CapturePage = lazyComponent(
  async () => (await import('../pages/capture/capture-page.tsx')).CapturePage,
);
const PresetPage = lazyComponent(async () => (await import('../pages/preset/preset-page.tsx')).PresetPage);
const OrganizationPages = lazyComponent(
  async () => (await import('../pages/organization/organization-pages.tsx')).OrganizationPages,
);

/**
 * Routes. A change of slug remounts the page, so that no state leaks from one preset to another.
 */
export function App() {
  const [path] = useLocation();
  return (
    <SessionGate>
      <ToastProvider>
        <Shell>
          <ErrorBoundary path={path}>
            <Switch>
              <Route path="/">
                <PresetsPage />
              </Route>
              <Route path="/presets">
                {/* The list is the home page; this is what people type. */}
                <Redirect to="/" replace />
              </Route>
              <Route path="/organization">
                <Redirect to="/organization/members" replace />
              </Route>
              <Route path="/new">
                <CapturePage slug={undefined} />
              </Route>
              <Route path="/presets/:slug/new">{({ slug }) => <CapturePage key={slug} slug={slug} />}</Route>
              <Route path="/presets/:slug/:tab?">
                {({ slug, tab }) => <PresetPage key={slug} slug={slug} tab={tab} />}
              </Route>
              <Route path="/organization/:part">{({ part }) => <OrganizationPages part={part} />}</Route>
              <Route>
                <NotFoundPage />
              </Route>
            </Switch>
          </ErrorBoundary>
        </Shell>
      </ToastProvider>
    </SessionGate>
  );
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
    if (this.state.error === undefined) return this.props.children;
    return (
      <div className="stack">
        <h1>Something went wrong</h1>
        <ErrorNotice error={this.state.error} />
        <div>
          <Button onClick={() => location.reload()}>Reload page</Button>
        </div>
      </div>
    );
  }
}
