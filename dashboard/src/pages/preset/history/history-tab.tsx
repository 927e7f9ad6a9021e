import { ArrowLeft } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import { useLabels } from '../../../api/presets.ts';
import { InBarSlot } from '../../../components/bar-slot.tsx';
import { Button, ButtonLink } from '../../../components/button.tsx';
import { classNames } from '../../../components/class-names.ts';
import { useCommands } from '../../../components/commands.ts';
import { Notice } from '../../../components/notice.tsx';
import { parseShown, presetPath, type VersionPair, versionPath } from '../../../components/preset-links.ts';
import type { VersionPointers } from '../../../features/comparison/version-choice.ts';
import { usePresetActions } from '../../../features/preset-changes/use-preset-actions.ts';
import { useRelease } from '../../../features/preset-changes/use-release.ts';
import { Comparison } from './comparison.tsx';
import styles from './history.module.css';
import { PresetNames } from './preset-names.tsx';
import { Timeline } from './timeline.tsx';
import { VersionView } from './version-view.tsx';

/**
 * All versions, next to one of them or the differences between two. `item` is the segment of the
 * URL that says which; without it, this is the live version. A narrow screen shows one of the two.
 */
export function HistoryTab({ item }: { readonly item: string | undefined }) {
  const { slug, snapshot } = usePresetActions();
  const { data: labels } = useLabels(slug, snapshot.etag);
  const live = snapshot.preset.designated_version.version;
  const itemColumn = useRef<HTMLDivElement>(null);
  // The list stays on screen while a long version is read, and the next one starts at its top.
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever another one is chosen
  useEffect(() => {
    if ((itemColumn.current?.getBoundingClientRect().top ?? 0) < 0) itemColumn.current?.scrollIntoView();
  }, [item]);
  const versions = { latest: snapshot.latest, live, labels: labels?.data ?? [] };
  const shown = item === undefined ? live : parseShown(item);
  useVersionKeys(slug, shown, snapshot.latest);
  return (
    <>
      <RecentRelease />
      <div className={item === undefined ? undefined : styles.namesOfItem}>
        <PresetNames />
      </div>
      <div className={classNames(styles.columns, item !== undefined && styles.hasItem)}>
        <div className={styles.timelineColumn}>
          <Timeline versions={versions} shown={shown} />
        </div>
        <div ref={itemColumn} className={styles.itemColumn}>
          <Link href={presetPath(slug, 'history')} className={styles.back}>
            <ArrowLeft aria-hidden="true" />
            All versions
          </Link>
          <Shown text={item ?? ''} shown={shown} versions={versions} />
        </div>
      </div>
    </>
  );
}

/** `j` and `k` move to the next and the previous version. Of two versions, the newer counts. */
function useVersionKeys(slug: string, shown: number | VersionPair | undefined, latest: number): void {
  const [, navigate] = useLocation();
  const current = typeof shown === 'object' ? shown.to : shown;
  const move = (by: number) => {
    const next = (current ?? latest + 1) + by;
    if (next >= 1 && next <= latest) navigate(versionPath(slug, next), { replace: true });
  };
  useCommands([
    { title: 'Older version', group: 'History', keys: 'J', isMove: true, run: () => move(-1) },
    { title: 'Newer version', group: 'History', keys: 'K', isMove: true, run: () => move(1) },
  ]);
}

/**
 * Reports a release of one's own where the workbench does, and offers to undo it for longer than a
 * toast would.
 */
function RecentRelease() {
  const { recent, undo, isUndoing } = useRelease(usePresetActions().snapshot);
  if (recent?.liveBefore === undefined) return null;
  return (
    <InBarSlot>
      <div className={styles.release} data-beside-tabs>
        <span role="status">
          Version {recent.version} is live, replacing version {recent.liveBefore}
        </span>
        <Button isSmall isBusy={isUndoing} onClick={() => void undo(recent)}>
          Undo
        </Button>
      </div>
    </InBarSlot>
  );
}

interface ShownProps {
  /** From the URL. */
  readonly text: string;
  readonly shown: number | VersionPair | undefined;
  readonly versions: VersionPointers;
}

/** Links go stale and get mistyped, so say which version of the URL does not exist. */
function Shown({ text, shown, versions }: ShownProps) {
  const { slug } = usePresetActions();
  const { latest } = versions;
  const numbers = typeof shown === 'object' ? [shown.from, shown.to] : shown === undefined ? [] : [shown];
  const unknown =
    numbers.find((number) => number > latest) ?? (shown === undefined ? `“${text}”` : undefined);
  if (shown === undefined || unknown !== undefined)
    return (
      <Notice
        kind="danger"
        title={`This preset has no version ${unknown}`}
        actions={<ButtonLink href={presetPath(slug, 'history')}>Show live version</ButtonLink>}
      >
        It has {latest === 1 ? 'only version 1' : `versions 1 to ${latest}`}.
      </Notice>
    );
  return typeof shown === 'number' ? (
    <VersionView version={shown} versions={versions} />
  ) : (
    <Comparison {...shown} versions={versions} />
  );
}
