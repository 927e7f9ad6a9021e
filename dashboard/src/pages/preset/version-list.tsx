import { Tag } from 'lucide-react';
import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import type { PresetLabel } from '../../../../src/api/labels.ts';
import type { PresetVersionDetails } from '../../../../src/api/versions.ts';
import { useLabels, useVersionCount, useVersionRanges, versionRanges } from '../../api/presets.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { classNames } from '../../components/class-names.ts';
import { Loading } from '../../components/loading.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { Panel } from '../../components/page.tsx';
import { formatNumber } from '../../components/text.ts';
import { Time } from '../../components/time.tsx';
import { describeChanges } from './compare/describe-changes.ts';
import { LabelChips, useLabelDrop } from './label-chips.tsx';
import styles from './preset.module.css';
import { usePresetActions } from './preset-actions.tsx';
import { presetPath, versionPath } from './preset-links.ts';

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
        {versions.map((version, index) => (
          <VersionListItem
            key={version.version}
            version={version}
            previous={versions[index + 1]}
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
            <div className="stack-1">
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

interface VersionListItemProps {
  readonly version: PresetVersionDetails;
  /** Undefined for the first, and if it is not loaded. */
  readonly previous: PresetVersionDetails | undefined;
  readonly labels: readonly PresetLabel[];
  readonly isShown: boolean;
}

/** One version in the list. Labels can be dropped on it. */
function VersionListItem({ version, previous, labels, isShown }: VersionListItemProps) {
  const { slug, snapshot, canChange, openDialog } = usePresetActions();
  const { isOver, ...drop } = useLabelDrop(version.version);
  const isLive = version.version === snapshot.preset.designated_version.version;
  const { model } = version.config;
  const changes = useMemo(() => previous && describeChanges(previous, version), [previous, version]);
  return (
    <li className={classNames(styles.listItem, isShown && styles.shown, isOver && styles.over)} {...drop}>
      <div className={styles.head}>
        <Link
          href={versionPath(slug, version.version, snapshot.preset.designated_version.version)}
          className={styles.number}
          aria-current={isShown ? 'true' : undefined}
        >
          Version {version.version}
        </Link>
        {isLive && <Badge tone="success">Live</Badge>}
        <span className={styles.when}>
          <Time at={version.created_at} />
        </span>
      </div>
      {version.presetd?.note !== undefined && <p className={styles.listNote}>{version.presetd.note}</p>}
      {changes && <p className="note">{changes.join(', ') || 'No changes'}</p>}
      <p className={styles.author}>
        <span>{version.creator_email ?? version.creator_id}</span>
        {typeof model === 'string' && <span className="mono">{model}</span>}
      </p>
      <div className={styles.foot}>
        <LabelChips labels={labels} />
        {canChange && (
          <Button
            isSmall
            variant="quiet"
            className={styles.add}
            onClick={() => openDialog({ kind: 'add-label', version: version.version })}
          >
            <Tag aria-hidden="true" />
            Add label…<span className="visually-hidden"> to version {version.version}</span>
          </Button>
        )}
        {version.version > 1 && (
          <Link
            className={styles.compare}
            href={`${presetPath(slug, 'compare')}?from=${version.version - 1}&to=${version.version}`}
          >
            Compare<span className="visually-hidden"> version {version.version}</span> with{' '}
            {version.version - 1}
          </Link>
        )}
      </div>
    </li>
  );
}
