import type { ReactNode } from 'react';
import type { PresetSnapshot } from '../api/presets.ts';
import { StatusBadge } from '../ui/badge.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Page } from '../ui/page.tsx';
import { ActionDialog } from './action-dialog.tsx';
import { ConflictDialog } from './conflict-dialog.tsx';
import { HeaderActions } from './header-actions.tsx';
import { withoutUndo } from './preset-action.ts';
import { PresetActionsProvider } from './preset-actions-context.tsx';
import styles from './preset-layout.module.css';
import type { Tab } from './preset-tab.tsx';
import { PresetTabs } from './preset-tabs.tsx';
import { StatusNotice } from './status-notice.tsx';
import { usePageActions } from './use-page-actions.ts';

interface PresetLayoutProps {
  readonly slug: string;
  readonly snapshot: PresetSnapshot;
  readonly tab: Tab;
  readonly children: ReactNode;
}

/** Header, tabs and dialogs of a preset, around the content of the current tab. */
export function PresetLayout({ slug, snapshot, tab, children }: PresetLayoutProps) {
  const { actions, dialog, close, error, conflict, dismiss, retry } = usePageActions(slug, snapshot);
  const { name, status, description } = snapshot.preset;
  return (
    <PresetActionsProvider value={actions}>
      <Page
        title={name}
        aside={<StatusBadge status={status} />}
        lead={<Lead slug={slug} description={description} />}
        actions={actions.canChange && <HeaderActions />}
      >
        <PresetTabs slug={slug} tab={tab} />
        <div className="stack">
          {error != null && <ErrorNotice error={error} />}
          <StatusNotice />
          {children}
        </div>
      </Page>
      {dialog && <ActionDialog {...dialog} onClose={close} />}
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

function Lead({ slug, description }: { readonly slug: string; readonly description: string | null }) {
  return (
    <div className={styles.lead}>
      <span className={styles.slug}>
        <span className="mono">{slug}</span>
        <CopyButton text={slug} what="slug" variant="quiet" />
      </span>
      {description !== null && <p className={styles.description}>{description}</p>}
    </div>
  );
}
