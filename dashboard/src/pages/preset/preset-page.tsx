import { type ReactNode, useState } from 'react';
import { Link, Redirect, useLocation, useSearch } from 'wouter';
import { isStatus } from '../../api/api-error.ts';
import { type PresetSnapshot, usePreset } from '../../api/presets.ts';
import { useSession } from '../../api/session.ts';
import { BarSlotProvider } from '../../components/bar-slot.tsx';
import { Button, ButtonLink } from '../../components/button.tsx';
import { useCommands } from '../../components/commands.ts';
import { WorkbenchSkeleton } from '../../components/loading.tsx';
import { EmptyState, ErrorNotice, Notice } from '../../components/notice.tsx';
import { NotFoundPage, Page, Panel } from '../../components/page.tsx';
import { movedPath, presetPath } from '../../components/preset-links.ts';
import { useIsUnreachable } from '../../components/server-connection.ts';
import { ConflictDialog } from '../../features/preset-changes/conflict-dialog.tsx';
import { restore, withoutUndo } from '../../features/preset-changes/preset-action.ts';
import {
  type PresetActions,
  PresetActionsProvider,
  usePageActions,
  usePresetActions,
} from '../../features/preset-changes/use-preset-actions.ts';
import styles from './preset.module.css';
import { PresetDialog } from './preset-dialogs.tsx';
import { PresetHeaderSummary, PresetMenu } from './preset-header.tsx';

interface PresetTab {
  readonly title: string;
  /** The document about it, by its name in `docs`. */
  readonly guide: string;
  Content(props: {
    /** The segment of the URL after the tab; only the history has one. */
    readonly item: string | undefined;
  }): ReactNode;
}

/** By their segment of the URL; the workbench has none. */
export type PresetTabs = ReadonlyMap<string | undefined, PresetTab>;

export interface PresetAddress {
  readonly slug: string;
  readonly tab: string | undefined;
  readonly item: string | undefined;
}

interface PresetPageProps extends PresetAddress {
  readonly tabs: PresetTabs;
}

/** Loads the preset. If a later refetch fails, the last state stays visible below the error. */
export function PresetPage({ tabs, slug, tab, item }: PresetPageProps) {
  const search = useSearch();
  const { data, error, refetch } = usePreset(slug);
  const isUnreachable = useIsUnreachable();
  const moved = item === undefined ? movedPath(slug, tab, search) : undefined;
  if (moved !== undefined) return <Redirect to={moved} replace />;
  // The URL's last segments are free text.
  const current = tabs.get(tab);
  if (current === undefined || (item !== undefined && tab !== 'history')) return <NotFoundPage />;
  if (isStatus(error, 404)) return <MissingPreset slug={slug} message={error.message} />;
  // The whole page says that the server cannot be reached, and retries.
  const notice = error && !(isUnreachable && data) && (
    <ErrorNotice error={error} title="Could not load the preset" retry={() => void refetch()} />
  );
  if (data === undefined)
    return <Page title={slug}>{notice ?? <WorkbenchSkeleton label="Loading preset" />}</Page>;
  return (
    <PresetLayout tabs={tabs} address={{ slug, tab, item }} snapshot={data}>
      {notice}
      <current.Content item={item} />
    </PresetLayout>
  );
}

/** `message` is the server's. */
function MissingPreset({ slug, message }: { readonly slug: string; readonly message: string }) {
  const { account } = useSession();
  return (
    <Page title={slug}>
      <Panel>
        <EmptyState title="Preset not found">
          <p>{message}</p>
          {account.workspaces.length > 1 && (
            <p>It may be in another workspace. You can switch workspaces above.</p>
          )}
          <ButtonLink href="/presets">Go to presets</ButtonLink>
        </EmptyState>
      </Panel>
    </Page>
  );
}

interface PresetLayoutProps {
  readonly tabs: PresetTabs;
  readonly address: PresetAddress;
  readonly snapshot: PresetSnapshot;
  readonly children: ReactNode;
}

/** Header, tabs and dialogs of a preset, around the content of the current tab. */
function PresetLayout({ tabs, address, snapshot, children }: PresetLayoutProps) {
  const { slug, tab: current } = address;
  const { actions, canRedirect, dialog, close, error, conflict, dismiss, retry } = usePageActions(
    slug,
    snapshot,
  );
  const [barSlot, setBarSlot] = useState<HTMLElement | null>(null);
  usePresetCommands(tabs, actions, current);
  // The address has an alias, or the preset was renamed.
  if (snapshot.preset.slug !== slug && canRedirect)
    return <RedirectFromAlias {...address} slug={snapshot.preset.slug} />;
  return (
    <PresetActionsProvider value={actions}>
      <Page
        title={snapshot.preset.name}
        guide={tabs.get(current)?.guide}
        aside={<PresetHeaderSummary hasTags={current !== 'history'} />}
        actions={actions.canChange && <PresetMenu />}
        isCompact
      >
        <div className={styles.tabLine}>
          <nav className={styles.tabs} aria-label="Preset">
            {[...tabs].map(([tab, { title }]) => (
              <Link
                key={title}
                href={presetPath(slug, tab)}
                className="tab"
                aria-current={tab === current ? 'page' : undefined}
              >
                {title}
              </Link>
            ))}
          </nav>
          <div ref={setBarSlot} className={styles.barSlot} />
        </div>
        <div className="stack">
          {error != null && <ErrorNotice error={error} />}
          <StatusNotice />
          <BarSlotProvider value={barSlot}>{children}</BarSlotProvider>
        </div>
      </Page>
      {dialog && <PresetDialog {...dialog} onClose={close} />}
      {conflict && (
        <ConflictDialog
          slug={slug}
          before={conflict.before}
          onClose={dismiss}
          onRetry={(now) => retry(withoutUndo(conflict.action), now)}
        />
      )}
    </PresetActionsProvider>
  );
}

function usePresetCommands(tabs: PresetTabs, { slug }: PresetActions, current: string | undefined): void {
  const [, navigate] = useLocation();
  useCommands(
    [...tabs]
      .filter(([tab]) => tab !== current)
      .map(([tab, { title }]) => ({ title, group: 'Preset', run: () => navigate(presetPath(slug, tab)) })),
  );
}

/** `slug` is that of the preset with the alias in the address. */
function RedirectFromAlias({ slug, tab, item }: PresetAddress) {
  const search = useSearch();
  const path = presetPath(slug, tab) + (item === undefined ? '' : `/${item}`);
  return <Redirect to={path + (search && `?${search}`)} replace />;
}

/** Explains what a disabled or archived status means for callers, and how to change it. */
function StatusNotice() {
  const { snapshot, canChange, canRelease, perform, isBusy } = usePresetActions();
  const { may } = useSession();
  const { status } = snapshot.preset;
  if (status === 'disabled')
    return (
      <Notice kind="warning" title="Disabled">
        Calls to this preset fail with status 403.
        {canChange && ' You can still edit it.'}
        {canRelease && ' To archive it, enable it first.'}
      </Notice>
    );
  if (status !== 'archived') return null;
  return (
    <Notice
      kind="warning"
      title="Archived"
      actions={
        may('release') && (
          <Button isSmall isBusy={isBusy} onClick={() => perform(restore)}>
            Restore
          </Button>
        )
      }
    >
      Calls to this preset fail with status 404. Its slug and history are kept. Restore it to make changes.
    </Notice>
  );
}
