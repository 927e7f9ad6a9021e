import { Plus } from 'lucide-react';
import { type ReactNode, useLayoutEffect } from 'react';
import { Link, Redirect, useLocation, useSearch } from 'wouter';
import { isStatus } from '../../api/api-error.ts';
import { type PresetSnapshot, usePreset } from '../../api/presets.ts';
import { useSession } from '../../api/session.ts';
import { StatusBadge } from '../../components/badge.tsx';
import { Button, ButtonLink } from '../../components/button.tsx';
import { useCommands } from '../../components/commands.ts';
import { Loading, lazyComponent } from '../../components/loading.tsx';
import { EmptyState, ErrorNotice, Notice } from '../../components/notice.tsx';
import { NotFoundPage, Page, Panel } from '../../components/page.tsx';
import { draftName, moveDraft } from '../capture/drafts.ts';
import { ConflictDialog } from './conflict-dialog.tsx';
import { EventsTab } from './events-tab.tsx';
import { OverviewTab } from './overview-tab.tsx';
import styles from './preset.module.css';
import { enable, restore, withoutUndo } from './preset-action.ts';
import {
  type PresetActions,
  PresetActionsProvider,
  usePageActions,
  usePresetActions,
} from './preset-actions.tsx';
import { PresetDialog } from './preset-dialogs.tsx';
import { PresetLead } from './preset-lead.tsx';
import { newVersionPath, presetPath } from './preset-links.ts';
import '../../styles/mono-font.css';

const CompareTab = lazyComponent(async () => (await import('./compare/compare-tab.tsx')).CompareTab);
const PlaygroundTab = lazyComponent(
  async () => (await import('./playground/playground-tab.tsx')).PlaygroundTab,
);
const WorkbenchTab = lazyComponent(async () => (await import('../workbench/workbench-tab.tsx')).WorkbenchTab);

/** By the last segment of their URLs. */
const tabs = {
  overview: { title: 'Overview', Content: OverviewTab },
  workbench: { title: 'Workbench', Content: WorkbenchTab },
  compare: { title: 'Compare', Content: CompareTab },
  use: { title: 'Use', Content: PlaygroundTab },
  events: { title: 'Events', Content: EventsTab },
} as const;

type Tab = keyof typeof tabs;

interface PresetPageProps {
  readonly slug: string;
  readonly tab: string | undefined;
}

/** Loads the preset. If a later refetch fails, the last state stays visible below the error. */
export function PresetPage({ slug, tab = 'overview' }: PresetPageProps) {
  const { data, error, refetch } = usePreset(slug);
  // The URL's last segment is free text.
  if (!isTab(tab)) return <NotFoundPage />;
  if (isStatus(error, 404)) return <MissingPreset slug={slug} message={error.message} />;
  const notice = error && (
    <ErrorNotice error={error} title="Could not load the preset" retry={() => void refetch()} />
  );
  if (data === undefined)
    return <Page title={slug}>{notice ?? <Loading lines={8} label="Loading preset" />}</Page>;
  const { Content } = tabs[tab];
  return (
    <PresetLayout slug={slug} snapshot={data} tab={tab}>
      {notice}
      <Content />
    </PresetLayout>
  );
}

function isTab(text: string): text is Tab {
  return Object.hasOwn(tabs, text);
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
  readonly slug: string;
  readonly snapshot: PresetSnapshot;
  readonly tab: Tab;
  readonly children: ReactNode;
}

/** Header, tabs and dialogs of a preset, around the content of the current tab. */
function PresetLayout({ slug, snapshot, tab: current, children }: PresetLayoutProps) {
  const { actions, dialog, close, error, conflict, dismiss, retry } = usePageActions(slug, snapshot);
  const { name, status } = snapshot.preset;
  usePresetCommands(actions, current);
  // The address has an alias, or the preset was renamed. An open dialog keeps what the user typed.
  if (snapshot.preset.slug !== slug && dialog === undefined && conflict === undefined)
    return <ToSlug alias={slug} slug={snapshot.preset.slug} tab={current} />;
  return (
    <PresetActionsProvider value={actions}>
      <Page
        title={name}
        aside={<StatusBadge status={status} />}
        lead={<PresetLead />}
        actions={actions.canChange && <HeaderActions />}
      >
        <nav className={styles.tabs} aria-label="Preset">
          {Object.entries(tabs).map(([tab, { title }]) => (
            <Link
              key={tab}
              href={tabPath(slug, tab)}
              className="tab"
              aria-current={tab === current ? 'page' : undefined}
            >
              {title}
            </Link>
          ))}
        </nav>
        <div className="stack">
          {error != null && <ErrorNotice error={error} />}
          <StatusNotice />
          {children}
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

const group = 'Preset';

function usePresetCommands({ slug, canChange, canRelease, ...actions }: PresetActions, current: Tab): void {
  const [, navigate] = useLocation();
  const { shownVersion, snapshot, openDialog } = actions;
  const isLive = shownVersion === snapshot.preset.designated_version.version;
  useCommands([
    ...Object.entries(tabs)
      .filter(([tab]) => tab !== current)
      .map(([tab, { title }]) => ({ title, group, run: () => navigate(tabPath(slug, tab)) })),
    canChange && { title: 'Edit details', group, run: () => openDialog({ kind: 'edit' }) },
    canRelease &&
      !isLive && {
        title: `Make version ${shownVersion} live`,
        group,
        keywords: 'release publish deploy',
        run: () => openDialog({ kind: 'make-live', version: shownVersion }),
      },
  ]);
}

interface ToSlugProps {
  readonly alias: string;
  readonly slug: string;
  readonly tab: Tab;
}

/** Leads from an alias to the slug. A draft from before the preset was renamed comes along. */
function ToSlug({ alias, slug, tab }: ToSlugProps) {
  const session = useSession();
  const search = useSearch();
  useLayoutEffect(
    () => moveDraft(draftName(session, alias), draftName(session, slug), slug),
    [session, alias, slug],
  );
  return <Redirect to={tabPath(slug, tab) + (search && `?${search}`)} replace />;
}

function tabPath(slug: string, tab: string): string {
  return tab === 'overview' ? presetPath(slug) : presetPath(slug, tab);
}

/** Buttons for a preset that the user may change. */
function HeaderActions() {
  const { slug, shownVersion, canRelease, openDialog } = usePresetActions();
  return (
    <>
      <Button onClick={() => openDialog({ kind: 'edit' })}>Edit…</Button>
      {canRelease && <StatusActions />}
      <ButtonLink href={newVersionPath(slug, shownVersion)} variant="primary">
        <Plus aria-hidden="true" />
        New version
      </ButtonLink>
    </>
  );
}

/** A disabled preset must be enabled before it can be archived: the API requires it. */
function StatusActions() {
  const { snapshot, openDialog, perform, isBusy } = usePresetActions();
  const isDisabled = snapshot.preset.status === 'disabled';
  return (
    <>
      {isDisabled ? (
        <Button onClick={() => perform(enable)} isBusy={isBusy}>
          Enable
        </Button>
      ) : (
        <Button onClick={() => openDialog({ kind: 'disable' })}>Disable…</Button>
      )}
      <Button
        disabled={isDisabled}
        title={isDisabled ? 'Enable the preset before archiving it' : undefined}
        onClick={() => openDialog({ kind: 'archive' })}
      >
        Archive…
      </Button>
    </>
  );
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
