import { lazy, Suspense } from 'react';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import { BrokenPage } from './layout/broken-page.tsx';
import { NotFoundPage } from './layout/not-found-page.tsx';
import { Shell } from './layout/shell.tsx';
import { Loading } from './parts/loading.tsx';
import { ToastProvider } from './parts/toasts.tsx';
import { PresetsPage } from './presets/presets-page.tsx';
import { SessionGate } from './session/session.tsx';

// The first page comes with the program; the others when somebody goes there.
const CapturePage = lazy(async () => ({ default: (await import('./capture/capture-page.tsx')).CapturePage }));
const PresetPage = lazy(async () => ({ default: (await import('./preset/preset-page.tsx')).PresetPage }));
const OrganizationPages = lazy(async () => ({
  default: (await import('./organization/organization-pages.tsx')).OrganizationPages,
}));

export function App() {
  const [path] = useLocation();
  return (
    <SessionGate>
      <ToastProvider>
        <Shell>
          <BrokenPage path={path}>
            <Suspense fallback={<Loading />}>
              <Switch>
                <Route path="/">
                  <PresetsPage />
                </Route>
                <Route path="/presets">
                  <Redirect to="/" replace />
                </Route>
                <Route path="/organization">
                  <Redirect to="/organization/members" replace />
                </Route>
                <Route path="/new">
                  <CapturePage slug={undefined} />
                </Route>
                <Route path="/presets/:slug/new">
                  {({ slug }) => <CapturePage key={slug} slug={slug} />}
                </Route>
                <Route path="/presets/:slug/:tab?">
                  {({ slug, tab }) => <PresetPage key={slug} slug={slug} tab={tab} />}
                </Route>
                <Route path="/organization/:part">{({ part }) => <OrganizationPages part={part} />}</Route>
                <Route>
                  <NotFoundPage />
                </Route>
              </Switch>
            </Suspense>
          </BrokenPage>
        </Shell>
      </ToastProvider>
    </SessionGate>
  );
}
