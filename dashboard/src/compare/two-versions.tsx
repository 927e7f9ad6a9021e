import type { PresetVersionDetails } from '../../../src/client/preset-answers.ts';
import { useVersion } from '../api/presets.ts';
import { ErrorNotice } from '../parts/error-notice.tsx';
import { Loading } from '../parts/loading.tsx';
import { Time } from '../parts/time.tsx';
import styles from './two-versions.module.css';
import { VersionDiff } from './version-diff.tsx';

interface TwoVersionsProps {
  readonly slug: string;
  readonly from: number;
  readonly to: number;
}

/** Two versions by their numbers: who made them and when, and what differs. */
export function TwoVersions({ slug, from, to }: TwoVersionsProps) {
  const one = useVersion(slug, from);
  const other = useVersion(slug, to);
  const failed = [one, other].find(({ error }) => error);
  if (failed)
    return (
      <ErrorNotice
        error={failed.error}
        title="A version could not be read."
        retry={() => void failed.refetch()}
      />
    );
  if (one.data === undefined || other.data === undefined)
    return <Loading lines={8} label="Loading versions" />;
  return (
    <div className="stack">
      {from !== to && (
        <div className={styles.makers}>
          <Maker version={one.data} />
          <Maker version={other.data} />
        </div>
      )}
      <VersionDiff from={one.data} to={other.data} />
    </div>
  );
}

function Maker({
  version: { version, created_at, creator_email },
}: {
  readonly version: PresetVersionDetails;
}) {
  return (
    <p className="muted">
      Version {version}, <Time at={created_at} />
      {creator_email ? ` by ${creator_email}` : ''}
    </p>
  );
}
