import { useState } from 'react';
import { useLabels, useVersionCount, useVersionRanges } from '../api/presets.ts';
import { Button } from '../parts/button.tsx';
import { ErrorNotice } from '../parts/error-notice.tsx';
import { Loading } from '../parts/loading.tsx';
import { Panel } from '../parts/panel.tsx';
import { LabelChips } from './label-chips.tsx';
import { usePresetActions } from './preset-actions.tsx';
import styles from './timeline.module.css';
import { TimelineItem } from './timeline-item.tsx';
import { versionRanges } from './version-ranges.ts';

/** All versions, newest first, as far back as somebody asks, with the labels on them. */
export function Timeline({ shown }: { readonly shown: number | undefined }) {
  const { slug, seen } = usePresetActions();
  const count = useVersionCount(slug, seen.etag);
  const labels = useLabels(slug, seen.etag);
  const [rangesMax, setRangesMax] = useState(1);
  const ranges = count.data === undefined ? [] : versionRanges(count.data, rangesMax);
  const pages = useVersionRanges(slug, ranges);

  const failed = [count, labels, ...pages].find(({ error }) => error);
  const versions = pages.flatMap(({ data = [] }) => data.toReversed());
  const isReading = pages.some(({ isPending }) => isPending);
  const oldest = (ranges.at(-1)?.offset ?? 0) + 1;
  const allLabels = labels.data?.data ?? [];
  const olderLabels = allLabels.filter(({ version }) => version < oldest);
  return (
    <Panel
      title="Versions"
      isFlush
      actions={
        count.data !== undefined && <span className="muted">{count.data.toLocaleString('en-US')}</span>
      }
    >
      <ol className={styles.versions} aria-label="Versions, newest first">
        {versions.map((version) => (
          <TimelineItem
            key={version.version}
            version={version}
            labels={allLabels.filter((label) => label.version === version.version)}
            isShown={version.version === shown}
          />
        ))}
      </ol>
      {(count.isPending || isReading) && !failed && <Loading lines={6} label="Loading versions" />}
      {failed && (
        <ErrorNotice
          error={failed.error}
          title="The versions could not be read."
          retry={() => void failed.refetch()}
        />
      )}
      {oldest > 1 && (
        <div className={styles.older}>
          {olderLabels.length > 0 && (
            <div className={styles.olderLabels}>
              <span className="muted">On older versions:</span>
              <LabelChips labels={olderLabels} withVersion />
            </div>
          )}
          <Button isBusy={isReading} onClick={() => setRangesMax(rangesMax + 1)}>
            Show older
          </Button>
        </div>
      )}
    </Panel>
  );
}
