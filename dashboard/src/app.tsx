import { Redirect, Route, Switch, useLocation } from 'wouter';
import { BrokenPage } from './layout/broken-page.tsx';
import { NotFoundPage } from './layout/not-found-page.tsx';
import { Shell } from './layout/shell.tsx';
import { loadedLater } from './parts/loaded-later.tsx';
import { ToastProvider } from './parts/toasts.tsx';
import { PresetsPage } from './presets/presets-page.tsx';
import { SessionGate } from './session/session.tsx';

// The first page comes with the program; the others when somebody goes there.
const CapturePage = loadedLater(async () => (await import('./capture/capture-page.tsx')).CapturePage);
const PresetPage = loadedLater(async () => (await import('./preset/preset-page.tsx')).PresetPage);
const OrganizationPages = loadedLater(
  async () => (await import('./organization/organization-pages.tsx')).OrganizationPages,
);

export function App() {
  const [path] = useLocation();
  return (
    <SessionGate>
      <ToastProvider>
        <Shell>
          <BrokenPage path={path}>
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
              <Route path="/presets/:slug/new">{({ slug }) => <CapturePage key={slug} slug={slug} />}</Route>
              <Route path="/presets/:slug/:tab?">
                {({ slug, tab }) => <PresetPage key={slug} slug={slug} tab={tab} />}
              </Route>
              <Route path="/organization/:part">{({ part }) => <OrganizationPages part={part} />}</Route>
              <Route>
                <NotFoundPage />
              </Route>
            </Switch>
          </BrokenPage>
        </Shell>
      </ToastProvider>
    </SessionGate>
  );
}
