import { ArrowLeftRight } from 'lucide-react';
import { useSearchParams } from 'wouter';
import { useLabels, useVersionCount } from '../../../api/presets.ts';
import { Button } from '../../../components/button.tsx';
import { Loading } from '../../../components/loading.tsx';
import { EmptyState, ErrorNotice, Notice } from '../../../components/notice.tsx';
import { Panel } from '../../../components/page.tsx';
import { useUrlParams } from '../../../components/use-url-params.ts';
import { usePresetActions, useShownVersion } from '../preset-actions.tsx';
import styles from './compare.module.css';
import { comparedPair, type VersionPointers } from './version-choice.ts';
import { VersionComparison } from './version-diff.tsx';
import { VersionField } from './version-field.tsx';

/** Compares any two versions. The URL names them, so that a comparison can be shared. */
export function CompareTab() {
  const { slug, snapshot } = usePresetActions();
  const { data: latest, error, refetch } = useVersionCount(slug, snapshot.etag);
  const labels = useLabels(slug).data?.data ?? [];
  const live = snapshot.preset.designated_version.version;
  if (latest === undefined)
    return error ? (
      <ErrorNotice error={error} title="Could not load the versions" retry={() => void refetch()} />
    ) : (
      <Loading lines={8} label="Loading versions" />
    );
  if (latest === 1) return <OnlyVersion />;
  return <Comparison versions={{ latest, live, labels }} />;
}

function OnlyVersion() {
  const [search] = useSearchParams();
  const { unknown } = comparedPair(search, { latest: 1, live: 1 });
  return (
    <div className="stack">
      <UnknownVersionNotice unknown={unknown} latest={1} />
      <Panel>
        <EmptyState title="Only one version">
          <p>Save a second version to compare them here.</p>
        </EmptyState>
      </Panel>
    </div>
  );
}

/** Reports the right-hand version to the header, so that "New version" starts from it. */
function Comparison({ versions }: { readonly versions: VersionPointers }) {
  const [search] = useSearchParams();
  const { change } = useUrlParams();
  const { from, to, unknown } = comparedPair(search, versions);
  const { slug, canChange, openDialog } = usePresetActions();
  useShownVersion(to);
  const compare = (next: { readonly from: number; readonly to: number }) =>
    change({ from: String(next.from), to: String(next.to) }, { replace: true });
  // Offer to make the version live that is compared with the live one.
  const other = to === versions.live ? from : to;
  return (
    <Panel
      title="Compare versions"
      actions={
        canChange &&
        other !== versions.live && (
          <Button onClick={() => openDialog({ kind: 'make-live', version: other })}>
            Make version {other} live…
          </Button>
        )
      }
    >
      <div className="stack">
        <div className={styles.choice}>
          <VersionField
            label="From"
            versions={versions}
            value={from}
            onChange={(next) => compare({ from: next, to })}
          />
          <Button onClick={() => compare({ from: to, to: from })} aria-label="Swap versions">
            <ArrowLeftRight aria-hidden="true" />
          </Button>
          <VersionField
            label="To"
            versions={versions}
            value={to}
            onChange={(next) => compare({ from, to: next })}
          />
        </div>
        <UnknownVersionNotice unknown={unknown} latest={versions.latest} />
        <VersionComparison slug={slug} from={from} to={to} />
      </div>
    </Panel>
  );
}

interface UnknownVersionNoticeProps {
  readonly unknown: readonly string[];
  readonly latest: number;
}

/** Links go stale and get mistyped, so say which version of the URL does not exist. */
function UnknownVersionNotice({ unknown, latest }: UnknownVersionNoticeProps) {
  if (unknown.length === 0) return null;
  return (
    <Notice kind="warning">
      This preset has no version {unknown.join(' or ')}. It has{' '}
      {latest === 1 ? 'only version 1' : `versions 1 to ${latest}`}.
    </Notice>
  );
}
