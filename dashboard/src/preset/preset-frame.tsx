import type { ReactNode } from 'react';
import type { SeenPreset } from '../api/presets.ts';
import { StatusBadge } from '../parts/badge.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { ErrorNotice } from '../parts/error-notice.tsx';
import { Page } from '../parts/page.tsx';
import { AskedDialog } from './asked-dialog.tsx';
import { ConflictDialog } from './conflict-dialog.tsx';
import { HeaderActions } from './header-actions.tsx';
import { withoutUndo } from './preset-action.ts';
import { PresetActionsProvider } from './preset-actions.tsx';
import styles from './preset-frame.module.css';
import type { Tab } from './preset-tab.tsx';
import { PresetTabs } from './preset-tabs.tsx';
import { StatusNotice } from './status-notice.tsx';
import { usePageActions } from './use-page-actions.ts';

interface PresetFrameProps {
  readonly slug: string;
  readonly seen: SeenPreset;
  readonly tab: Tab;
  readonly children: ReactNode;
}

/** What stays the same around the tabs of a preset, and the dialogs that its parts open. */
export function PresetFrame({ slug, seen, tab, children }: PresetFrameProps) {
  const { actions, asked, close, error, conflict, dismiss, retry } = usePageActions(slug, seen);
  const { name, status, description } = seen.preset;
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
      {asked && <AskedDialog {...asked} onClose={close} />}
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
