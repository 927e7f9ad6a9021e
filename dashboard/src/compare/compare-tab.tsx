import { ArrowLeftRight } from 'lucide-react';
import { useSearchParams } from 'wouter';
import { type SeenPreset, useLabels, useVersionCount } from '../api/presets.ts';
import { Button } from '../parts/button.tsx';
import { Empty } from '../parts/empty.tsx';
import { ErrorNotice } from '../parts/error-notice.tsx';
import { Loading } from '../parts/loading.tsx';
import { Notice } from '../parts/notice.tsx';
import { Panel } from '../parts/panel.tsx';
import { usePresetActions, useShownVersion } from '../preset/preset-actions.tsx';
import styles from './compare-tab.module.css';
import { comparedPair } from './compared-pair.ts';
import { TwoVersions } from './two-versions.tsx';
import { VersionField } from './version-field.tsx';
import type { KnownVersions } from './version-options.ts';

interface CompareTabProps {
  readonly slug: string;
  readonly seen: SeenPreset;
}

/** Any two versions beside each other. Which two stands in the address, so that it can be shared. */
export function CompareTab({ slug, seen }: CompareTabProps) {
  const { data: latest, error, refetch } = useVersionCount(slug, seen.etag);
  const labels = useLabels(slug).data?.data ?? [];
  if (latest === undefined)
    return error ? (
      <ErrorNotice error={error} title="The versions could not be read." retry={() => void refetch()} />
    ) : (
      <Loading lines={8} label="Loading versions" />
    );
  if (latest === 1)
    return (
      <Panel>
        <Empty title="There is one version so far">
          <p>The next time that a request is captured as this preset, both can be compared here.</p>
        </Empty>
      </Panel>
    );
  const live = seen.preset.designated_version.version;
  return <Comparison slug={slug} versions={{ latest, live, labels }} />;
}

interface ComparisonProps {
  readonly slug: string;
  readonly versions: KnownVersions;
}

function Comparison({ slug, versions }: ComparisonProps) {
  const [search, setSearch] = useSearchParams();
  const { from, to, unknown } = comparedPair(search, versions);
  const { canChange, ask } = usePresetActions();
  useShownVersion(to);
  const compare = (next: { readonly from: number; readonly to: number }) =>
    setSearch((before) => withPair(before, next), { replace: true });
  // Whatever one looks at beside what is live may become that.
  const other = to === versions.live ? from : to;
  return (
    <Panel
      title="Compare versions"
      actions={
        canChange &&
        other !== versions.live && (
          <Button onClick={() => ask({ kind: 'make-live', version: other })}>
            Make version {other} live…
          </Button>
        )
      }
    >
      <div className={styles.comparison}>
        <div className={styles.choice}>
          <VersionField
            label="From"
            versions={versions}
            value={from}
            onChange={(next) => compare({ from: next, to })}
          />
          <Button onClick={() => compare({ from: to, to: from })} aria-label="Swap the two versions">
            <ArrowLeftRight aria-hidden="true" />
          </Button>
          <VersionField
            label="To"
            versions={versions}
            value={to}
            onChange={(next) => compare({ from, to: next })}
          />
        </div>
        {unknown.length > 0 && (
          <Notice kind="warning">
            There is no version {unknown.join(' or ')} of this preset. It has versions 1 to {versions.latest}.
          </Notice>
        )}
        <TwoVersions slug={slug} from={from} to={to} />
      </div>
    </Panel>
  );
}

function withPair(
  before: URLSearchParams,
  { from, to }: { readonly from: number; readonly to: number },
): URLSearchParams {
  const next = new URLSearchParams(before);
  next.set('from', String(from));
  next.set('to', String(to));
  return next;
}
