import { Tag } from 'lucide-react';
import { Link } from 'wouter';
import type { Label, PresetVersionDetails } from '../../../src/client/preset-answers.ts';
import { pathOf } from '../api/api.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { classNames } from '../ui/class-names.ts';
import { Time } from '../ui/time.tsx';
import { LabelChips } from './label-chips.tsx';
import { usePresetActions } from './preset-actions-context.tsx';
import { versionPath } from './preset-links.ts';
import { useLabelDrop } from './use-label-drop.ts';
import styles from './version-list-item.module.css';

interface VersionListItemProps {
  readonly version: PresetVersionDetails;
  readonly labels: readonly Label[];
  readonly isShown: boolean;
}

/** One version in the list. Labels can be dropped on it. */
export function VersionListItem({ version, labels, isShown }: VersionListItemProps) {
  const { slug, snapshot, canChange, openDialog } = usePresetActions();
  const { isOver, ...drop } = useLabelDrop(version.version);
  const isLive = version.version === snapshot.preset.designated_version.version;
  const { model } = version.config;
  return (
    <li className={classNames(styles.item, isShown && styles.shown, isOver && styles.over)} {...drop}>
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
      <p className={styles.line}>
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
            href={`${pathOf('presets', slug, 'compare')}?from=${version.version - 1}&to=${version.version}`}
          >
            Compare<span className="visually-hidden"> version {version.version}</span> with{' '}
            {version.version - 1}
          </Link>
        )}
      </div>
    </li>
  );
}
