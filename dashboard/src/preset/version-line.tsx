import type { PresetVersion, PresetVersionDetails } from '../../../src/client/preset-answers.ts';
import { dialectNames } from '../api/dialects.ts';
import { Badge } from '../parts/badge.tsx';
import { Time } from '../parts/time.tsx';
import styles from './version-line.module.css';

interface VersionLineProps {
  readonly version: PresetVersion | PresetVersionDetails;
  readonly isLive: boolean;
}

/** Which version it is, whose, from when, and what it was captured from. */
export function VersionLine({ version, isLive }: VersionLineProps) {
  const details = 'dialect' in version ? version : undefined;
  return (
    <p className={styles.line}>
      <strong className={styles.number}>Version {version.version}</strong>
      {isLive && <Badge tone="success">live</Badge>}
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
