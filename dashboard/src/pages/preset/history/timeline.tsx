import { useVirtualizer } from '@tanstack/react-virtual';
import { GitCompareArrows } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Link } from 'wouter';
import type { PresetLabel } from '../../../../../src/api/labels.ts';
import type { PresetVersionDetails } from '../../../../../src/api/versions.ts';
import { useVersionRanges, versionRanges } from '../../../api/presets.ts';
import { Badge } from '../../../components/badge.tsx';
import { classNames } from '../../../components/class-names.ts';
import { ErrorNotice } from '../../../components/notice.tsx';
import { Panel } from '../../../components/page.tsx';
import { comparePath, type VersionPair, versionPath } from '../../../components/preset-links.ts';
import { formatNumber } from '../../../components/text.ts';
import { Time } from '../../../components/time.tsx';
import type { VersionPointers } from '../../../features/comparison/version-choice.ts';
import { PersonName } from '../../../features/organization/person-name.tsx';
import { usePresetActions } from '../../../features/preset-changes/use-preset-actions.ts';
import { VersionFacts } from '../../../features/version-usage/version-facts.tsx';
import { LabelChips, useLabelDrop } from '../label-chips.tsx';
import styles from './history.module.css';
import { useDescribedChanges } from './use-described-changes.ts';
import { VersionMenu } from './version-menu.tsx';

interface TimelineProps {
  readonly versions: VersionPointers;
  /** The version or the two versions on screen; undefined if the URL names none. */
  readonly shown: number | VersionPair | undefined;
}

/** Measured later; close enough that the scrollbar does not jump. */
const rowHeight = 114;

/**
 * All versions, newest first. Versions are numbered without gaps, so the list knows its length from
 * the start: it renders only rows on screen, and loads only their pages.
 */
export function Timeline({ versions, shown }: TimelineProps) {
  const { slug } = usePresetActions();
  const { latest } = versions;
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: latest,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => latest - index,
    // A narrow screen hides the list. Rows without a height would leave it empty for good.
    measureElement: (element) => element.getBoundingClientRect().height || rowHeight,
    overscan: 4,
  });
  const selected = typeof shown === 'object' ? shown.to : shown;
  const rows = virtualizer.getVirtualItems();
  const newest = latest - (rows[0]?.index ?? 0);
  // One more than is on screen: each is described by how it differs from the one before.
  const oldest = Math.max(1, latest - (rows.at(-1)?.index ?? 0) - 1);
  const pages = useVersionRanges(slug, rows.length === 0 ? [] : versionRanges(latest, oldest, newest));
  const failed = pages.find(({ error }) => error);
  const loaded = new Map(pages.flatMap(({ data = [] }) => data).map((version) => [version.version, version]));
  useScrollTo(virtualizer.scrollToIndex, selected, latest, selected !== undefined && loaded.has(selected));
  return (
    <Panel title="Versions" isFlush actions={<span className="muted">{formatNumber(latest)}</span>}>
      {failed && (
        <ErrorNotice
          error={failed.error}
          title="Could not load the versions"
          retry={() => void failed.refetch()}
        />
      )}
      <div ref={scroller} className={classNames('scrollbar', styles.scroller)}>
        <ol
          className={styles.versions}
          style={{ height: virtualizer.getTotalSize() }}
          aria-label="Versions, newest first"
        >
          {rows.map(({ index, start }) => (
            <TimelineRow
              key={latest - index}
              ref={virtualizer.measureElement}
              index={index}
              start={start}
              version={loaded.get(latest - index)}
              previous={loaded.get(latest - index - 1)}
              versions={versions}
              shown={shown}
            />
          ))}
        </ol>
      </div>
    </Panel>
  );
}

/** A link may lead to a version far down, and keys to one out of sight. */
function useScrollTo(
  scrollToIndex: (index: number, options: { readonly align: 'center' | 'auto' }) => void,
  version: number | undefined,
  latest: number,
  isLoaded: boolean,
): void {
  const isDone = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: not when another version is chosen
  useEffect(() => {
    const index = latest - (version ?? latest);
    if (!isDone.current && index > 2 && index < latest) scrollToIndex(index, { align: 'center' });
    // Again when the rows have their final heights.
    isDone.current = isLoaded;
  }, [isLoaded]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls when another version is chosen, not when the list gets a newer one
  useEffect(() => {
    if (isDone.current && version !== undefined && version <= latest)
      scrollToIndex(latest - version, { align: 'auto' });
  }, [version]);
}

interface TimelineRowProps extends TimelineProps {
  readonly ref: (element: HTMLElement | null) => void;
  readonly index: number;
  /** Distance from the start of the list, in pixels. */
  readonly start: number;
  /** Undefined while it is loading. */
  readonly version: PresetVersionDetails | undefined;
  /** Undefined for the first, and while it is loading. */
  readonly previous: PresetVersionDetails | undefined;
}

/** One version in the list. Labels can be dropped on it. */
function TimelineRow({ ref, index, start, version, previous, versions, shown }: TimelineRowProps) {
  const { slug, snapshot } = usePresetActions();
  const { latest, live, labels } = versions;
  const number = latest - index;
  const { isOver, ...drop } = useLabelDrop(number);
  const changes = useDescribedChanges(previous, version);
  const pair = typeof shown === 'object' ? shown : undefined;
  const isShown = pair === undefined ? number === shown : number === pair.from || number === pair.to;
  return (
    <li
      ref={ref}
      data-index={index}
      aria-setsize={latest}
      aria-posinset={index + 1}
      className={classNames(styles.row, isShown && styles.shown, isOver && styles.over)}
      style={{ transform: `translateY(${start}px)` }}
      {...drop}
    >
      <div className={styles.rowHead}>
        <Link
          href={versionPath(slug, number)}
          className={styles.number}
          aria-current={isShown ? 'true' : undefined}
        >
          Version {number}
        </Link>
        {number === live && <Badge tone="live">Live</Badge>}
        <div className={styles.rowActions}>
          {version && (
            <span className="note">
              <Time at={version.created_at} />
            </span>
          )}
          <CompareLink number={number} shown={shown} />
          <VersionMenu version={number} details={version} live={live} />
        </div>
      </div>
      <RowLabels labels={labels.filter((label) => label.version === number)} />
      {version === undefined ? (
        <p className="note">Loading…</p>
      ) : (
        <>
          {version.presetd?.note !== undefined && <p className={styles.rowNote}>{version.presetd.note}</p>}
          <p className={styles.changes}>{describe(number, changes)}</p>
          <Origin version={version} />
          <VersionFacts preset={snapshot.preset} version={number} />
        </>
      )}
    </li>
  );
}

function RowLabels({ labels }: { readonly labels: readonly PresetLabel[] }) {
  return (
    labels.length > 0 && (
      <div className={styles.rowLabels}>
        <LabelChips labels={labels} />
      </div>
    )
  );
}

/** Empty while it is unknown, so that the row keeps its height. */
function describe(number: number, changes: readonly string[] | undefined): string {
  if (number === 1) return 'First version';
  if (changes === undefined) return '\u00a0';
  return changes.join(', ') || 'No changes';
}

interface CompareLinkProps {
  readonly number: number;
  readonly shown: TimelineProps['shown'];
}

/** Compares with the version on screen: the newer of two if it shows a comparison. */
function CompareLink({ number, shown }: CompareLinkProps) {
  const { slug } = usePresetActions();
  const isPair = typeof shown === 'object';
  const other = isPair ? shown.to : shown;
  if (other === undefined || other === number || (isPair && shown.from === number)) return null;
  const label = `Compare version ${number} with ${other}`;
  return (
    <Link
      href={comparePath(slug, { from: Math.min(number, other), to: Math.max(number, other) })}
      className={styles.compare}
      aria-label={label}
      title={label}
    >
      <GitCompareArrows aria-hidden="true" />
    </Link>
  );
}

function Origin({ version }: { readonly version: PresetVersionDetails }) {
  const { model } = version.config;
  return (
    <p className={styles.origin}>
      <PersonName email={version.creator_email ?? version.creator_id} />
      {typeof model === 'string' && <span className="mono">{model}</span>}
    </p>
  );
}
