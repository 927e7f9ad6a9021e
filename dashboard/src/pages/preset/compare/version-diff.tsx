import { useMemo, useState } from 'react';
import type { PresetVersion, PresetVersionDetails } from '../../../../../src/api/versions.ts';
import { useVersion } from '../../../api/presets.ts';
import { Loading } from '../../../components/loading.tsx';
import { ErrorNotice } from '../../../components/notice.tsx';
import { formatCount } from '../../../components/text.ts';
import { Time } from '../../../components/time.tsx';
import styles from './compare.module.css';
import { compareConfigs, type FieldComparison } from './compare-configs.ts';
import { FieldTable } from './field-table.tsx';
import { LineDiff } from './line-diff.tsx';

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

/** The dialect is missing from the live version that comes with a preset. */
type ComparedVersion = PresetVersion & Partial<Pick<PresetVersionDetails, 'dialect'>>;

interface VersionDiffProps {
  readonly from: ComparedVersion;
  readonly to: ComparedVersion;
}

/** The differences between two versions: the prompt by lines and words, the config by fields. */
export function VersionDiff({ from, to }: VersionDiffProps) {
  const fields = useMemo(() => comparedFields(from, to), [from, to]);
  const changed = fields.filter(({ kind }) => kind !== 'same');
  const unchanged = fields.filter(({ kind }) => kind === 'same');
  // No prompt (null) and an empty one are different versions, although both look empty.
  const isSamePrompt = from.system_prompt === to.system_prompt;
  const titles = [`Version ${from.version}`, `Version ${to.version}`] as const;
  if (isSamePrompt && changed.length === 0) return <p>These versions are identical.</p>;
  return (
    <div className={styles.diff}>
      <section className="stack-2">
        <h3>System prompt</h3>
        {isSamePrompt ? (
          <p className="muted">{from.system_prompt === null ? 'Neither version has one.' : 'Unchanged.'}</p>
        ) : (
          <>
            <MissingPrompt versions={[from, to]} />
            {(from.system_prompt ?? '') !== (to.system_prompt ?? '') && (
              <LineDiff
                // Resets unfolded lines when other versions are compared.
                key={titles.join()}
                label="System prompt"
                from={from.system_prompt ?? ''}
                to={to.system_prompt ?? ''}
                titles={titles}
              />
            )}
          </>
        )}
      </section>
      <section className="stack-2">
        <h3>Config</h3>
        {changed.some(({ isCoarse }) => isCoarse) && (
          <p className="muted">Some fields are nested too deeply to compare in detail and are shown whole.</p>
        )}
        {changed.length === 0 ? (
          <p className="muted">Unchanged.</p>
        ) : (
          <FieldTable key={titles.join()} label="Config changes" fields={changed} titles={titles} />
        )}
        {unchanged.length > 0 && <UnchangedFields fields={unchanged} titles={titles} />}
      </section>
    </div>
  );
}

interface UnchangedFieldsProps {
  readonly fields: readonly FieldComparison[];
  readonly titles: readonly [from: string, to: string];
}

/** Renders the fields only once opened: there may be thousands. */
function UnchangedFields({ fields, titles }: UnchangedFieldsProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details className={styles.unchanged} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{formatCount(fields.length, 'unchanged field', 'unchanged fields')}</summary>
      {isOpen && <FieldTable key={titles.join()} label="Unchanged config" fields={fields} titles={titles} />}
    </details>
  );
}

/** Reports a change of dialect like a config field. */
function comparedFields(from: ComparedVersion, to: ComparedVersion) {
  const fields = compareConfigs(from.config, to.config);
  if (from.dialect === undefined || to.dialect === undefined || from.dialect === to.dialect) return fields;
  return [{ path: 'captured as', kind: 'changed' as const, from: from.dialect, to: to.dialect }, ...fields];
}

/** Says which version lacks a prompt: a missing prompt and an empty one look the same. */
function MissingPrompt({ versions }: { readonly versions: readonly ComparedVersion[] }) {
  const missing = versions.find(({ system_prompt }) => system_prompt === null);
  const empty = versions.find(({ system_prompt }) => system_prompt === '');
  return (
    <>
      {missing && <p className="muted">Version {missing.version} has no system prompt.</p>}
      {empty && <p className="muted">The system prompt of version {empty.version} is empty.</p>}
    </>
  );
}
