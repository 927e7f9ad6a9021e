import { useState } from 'react';
import { useLabels, useVersionCount, useVersionRanges } from '../api/presets.ts';
import { Button } from '../ui/button.tsx';
import { classNames } from '../ui/class-names.ts';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { formatNumber } from '../ui/format-number.ts';
import { Loading } from '../ui/loading.tsx';
import { Panel } from '../ui/panel.tsx';
import { LabelChips } from './label-chips.tsx';
import { usePresetActions } from './preset-actions-context.tsx';
import styles from './version-list.module.css';
import { VersionListItem } from './version-list-item.tsx';
import { versionRanges } from './version-ranges.ts';

/** Versions with their labels, newest first. Older ones load on request. */
export function VersionList({ shown }: { readonly shown: number | undefined }) {
  const { slug, snapshot } = usePresetActions();
  const count = useVersionCount(slug, snapshot.etag);
  const labels = useLabels(slug, snapshot.etag);
  const [rangesMax, setRangesMax] = useState(1);
  const ranges = count.data === undefined ? [] : versionRanges(count.data, rangesMax);
  const pages = useVersionRanges(slug, ranges);

  // One notice for whichever request failed first; its retry repeats only that one.
  const failed = [count, labels, ...pages].find(({ error }) => error);
  // The API lists versions oldest first.
  const versions = pages.flatMap(({ data = [] }) => data.toReversed());
  const isLoading = pages.some(({ isPending }) => isPending);
  const oldest = (ranges.at(-1)?.offset ?? 0) + 1;
  const allLabels = labels.data?.data ?? [];
  const olderLabels = allLabels.filter(({ version }) => version < oldest);
  return (
    <Panel
      title="Versions"
      isFlush
      actions={count.data !== undefined && <span className="muted">{formatNumber(count.data)}</span>}
    >
      <ol className={classNames('scrollbar', styles.versions)} aria-label="Versions, newest first">
        {versions.map((version) => (
          <VersionListItem
            key={version.version}
            version={version}
            labels={allLabels.filter((label) => label.version === version.version)}
            isShown={version.version === shown}
          />
        ))}
      </ol>
      {(count.isPending || isLoading) && !failed && <Loading lines={6} label="Loading versions" />}
      {failed && (
        <ErrorNotice
          error={failed.error}
          title="Could not load the versions"
          retry={() => void failed.refetch()}
        />
      )}
      {oldest > 1 && (
        <div className={styles.older}>
          {olderLabels.length > 0 && (
            <div className={styles.olderLabels}>
              <span className="muted">Labels on older versions:</span>
              <LabelChips labels={olderLabels} withVersion />
            </div>
          )}
          <Button isBusy={isLoading} onClick={() => setRangesMax(rangesMax + 1)}>
            Show older versions
          </Button>
        </div>
      )}
    </Panel>
  );
}
