import { ArrowLeftRight } from 'lucide-react';
import { useMemo } from 'react';
import { useLocation } from 'wouter';
import { useVersions } from '../../../api/presets.ts';
import { Button } from '../../../components/button.tsx';
import { Panel } from '../../../components/page.tsx';
import { comparePath, type VersionPair } from '../../../components/preset-links.ts';
import styles from '../../../features/comparison/compare.module.css';
import { describeChanges } from '../../../features/comparison/describe-changes.ts';
import type { VersionPointers } from '../../../features/comparison/version-choice.ts';
import { VersionComparison } from '../../../features/comparison/version-diff.tsx';
import { VersionField } from '../../../features/comparison/version-field.tsx';
import { usePresetActions } from '../../../features/preset-changes/use-preset-actions.ts';
import { VersionTable } from '../../../features/version-usage/version-facts.tsx';
import { CopyLinkButton } from './copy-link.tsx';

interface ComparisonProps extends VersionPair {
  readonly versions: VersionPointers;
}

/** The differences between two versions, either of which can be replaced by another one. */
export function Comparison({ from, to, versions }: ComparisonProps) {
  const { slug, snapshot, canRelease, openDialog } = usePresetActions();
  const [, navigate] = useLocation();
  const compare = (pair: VersionPair) => navigate(comparePath(slug, pair), { replace: true });
  // Offer to make the version live that is compared with the live one.
  const other = to === versions.live ? from : to;
  return (
    <Panel
      title={`Version ${from} → ${to}`}
      actions={
        <>
          <CopyLinkButton path={comparePath(slug, { from, to })} />
          {canRelease && other !== versions.live && (
            <Button isSmall onClick={() => openDialog({ kind: 'make-live', version: other })}>
              Make version {other} live…
            </Button>
          )}
        </>
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
        <VersionTable
          preset={snapshot.preset}
          versions={[from, to].map((version) => ({ version, title: `Version ${version}` }))}
        />
        <InWords from={from} to={to} />
        <VersionComparison slug={slug} from={from} to={to} />
      </div>
    </Panel>
  );
}

/** Keeps its place until both versions are there. If they do the same, the comparison says so. */
function InWords({ from, to }: VersionPair) {
  const { slug } = usePresetActions();
  const versions = useVersions(slug, [from, to]);
  const [before, after] = [versions.get(from), versions.get(to)];
  const changes = useMemo(() => before && after && describeChanges(before, after), [before, after]);
  return changes?.length !== 0 && <p className="strong">{changes?.join(', ') ?? '\u00a0'}</p>;
}
