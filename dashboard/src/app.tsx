import { Redirect, Route, Switch, useLocation } from 'wouter';
import { ErrorBoundary } from './layout/error-boundary.tsx';
import { NotFoundPage } from './layout/not-found-page.tsx';
import { Shell } from './layout/shell.tsx';
import { PresetsPage } from './presets/presets-page.tsx';
import { SessionGate } from './session/session.tsx';
import { lazyComponent } from './ui/lazy-component.tsx';
import { ToastProvider } from './ui/toasts.tsx';

// The preset list is in the main bundle; other pages load on first use to keep it small.
const CapturePage = lazyComponent(async () => (await import('./capture/capture-page.tsx')).CapturePage);
const PresetPage = lazyComponent(async () => (await import('./preset/preset-page.tsx')).PresetPage);
const OrganizationPages = lazyComponent(
  async () => (await import('./organization/organization-pages.tsx')).OrganizationPages,
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
