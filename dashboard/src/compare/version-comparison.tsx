import type { PresetVersionDetails } from '../../../src/client/preset-answers.ts';
import { useVersion } from '../api/presets.ts';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Loading } from '../ui/loading.tsx';
import { Time } from '../ui/time.tsx';
import styles from './version-comparison.module.css';
import { VersionDiff } from './version-diff.tsx';

interface VersionComparisonProps {
  readonly slug: string;
  readonly from: number;
  readonly to: number;
}

/** Loads two versions and shows their authors and differences. */
export function VersionComparison({ slug, from, to }: VersionComparisonProps) {
  const before = useVersion(slug, from);
  const after = useVersion(slug, to);
  const failed = [before, after].find(({ error }) => error);
  if (failed)
    return (
      <ErrorNotice
        error={failed.error}
        title="Could not load a version"
        retry={() => void failed.refetch()}
      />
    );
  if (before.data === undefined || after.data === undefined)
    return <Loading lines={8} label="Loading versions" />;
  return (
    <div className="stack">
      {from !== to && (
        <div className={styles.authors}>
          <VersionAuthor version={before.data} />
          <VersionAuthor version={after.data} />
        </div>
      )}
      <VersionDiff from={before.data} to={after.data} />
    </div>
  );
}

function VersionAuthor({
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
