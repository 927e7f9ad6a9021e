import type { PresetVersion, PresetVersionDetails } from '../../../src/client/preset-answers.ts';
import { dialectNames } from '../api/dialects.ts';
import { Badge } from '../ui/badge.tsx';
import { Time } from '../ui/time.tsx';
import styles from './version-header.module.css';

interface VersionHeaderProps {
  readonly version: PresetVersion | PresetVersionDetails;
  readonly isLive: boolean;
}

/** The version's number, time, author and captured format. */
export function VersionHeader({ version, isLive }: VersionHeaderProps) {
  const details = 'dialect' in version ? version : undefined;
  return (
    <p className={styles.line}>
      <strong className={styles.number}>Version {version.version}</strong>
      {isLive && <Badge tone="success">Live</Badge>}
      <span>
        <Time at={version.created_at} />
        {details && ` by ${details.creator_email ?? details.creator_id}`}
      </span>
      {details && <span>captured as {dialectNames[details.dialect]}</span>}
      <a href="#versions" className={styles.toVersions}>
        All versions
      </a>
    </p>
  );
}
