import { useMemo, useState } from 'react';
import type { PresetVersionDetails } from '../../../../src/api/versions.ts';
import { useVersion } from '../../api/presets.ts';
import { Pending } from '../../components/pending.tsx';
import { formatCount } from '../../components/text.ts';
import { Time } from '../../components/time.tsx';
import { PersonName } from '../organization/person-name.tsx';
import styles from './compare.module.css';
import { compareConfigs, type FieldComparison } from './compare-configs.ts';
import { compareExtensions, type PartComparison } from './compare-extensions.ts';
import { FieldTable } from './field-table.tsx';
import { LineDiff } from './line-diff.tsx';

interface VersionComparisonProps {
  readonly slug: string;
  readonly from: number;
  readonly to: number;
}

/** Loads two versions and shows their authors, notes and differences. */
export function VersionComparison({ slug, from, to }: VersionComparisonProps) {
  const before = useVersion(slug, from);
  const after = useVersion(slug, to);
  const failed = [before, after].find(({ error }) => error);
  if (failed || before.data === undefined || after.data === undefined)
    return (
      <Pending query={failed ?? before} title="Could not load a version" lines={8} label="Loading versions" />
    );
  return (
    <div className="stack">
      {from !== to && (
        <div className={styles.authors}>
          <VersionOrigin version={before.data} />
          <VersionOrigin version={after.data} />
        </div>
      )}
      <VersionDiff from={before.data} to={after.data} titles={[`Version ${from}`, `Version ${to}`]} />
    </div>
  );
}

function VersionOrigin({
  version: { version, created_at, creator_email, presetd },
}: {
  readonly version: PresetVersionDetails;
}) {
  return (
    <div>
      <p className="muted">
        Version {version}, <Time at={created_at} />
        {creator_email && (
          <>
            {' '}
            by <PersonName email={creator_email} />
          </>
        )}
      </p>
      {presetd?.note !== undefined && <p className={styles.note}>{presetd.note}</p>}
    </div>
  );
}

/** The content of a version, or of one that is not saved yet. */
export type ComparedVersion = Pick<PresetVersionDetails, 'dialect' | 'config' | 'system_prompt' | 'presetd'>;

interface VersionDiffProps {
  readonly from: ComparedVersion;
  readonly to: ComparedVersion;
  /** Names of the two, such as "Version 3". */
  readonly titles: readonly [from: string, to: string];
}

/**
 * The differences between two versions: the prompt by lines and words, the rest by fields. Notes
 * describe a version and are not part of what it does.
 */
export function VersionDiff({ from, to, titles }: VersionDiffProps) {
  const fields = useMemo(() => comparedFields(from, to), [from, to]);
  const parts = useMemo(() => compareExtensions(from.presetd, to.presetd), [from, to]);
  const changed = fields.filter(({ kind }) => kind !== 'same');
  const unchanged = fields.filter(({ kind }) => kind === 'same');
  // No prompt (null) and an empty one are different versions, although both look empty.
  const isSamePrompt = from.system_prompt === to.system_prompt;
  const changedParts = parts.filter((part) => !isSamePart(part));
  const sameTitles = [
    ...(isSamePrompt && from.system_prompt !== null ? ['System prompt'] : []),
    ...parts.filter(isSamePart).map(({ title }) => title),
  ];
  if (isSamePrompt && changed.length === 0 && changedParts.length === 0)
    return (
      <p>
        {from.presetd?.note === to.presetd?.note
          ? 'These versions are identical.'
          : 'These versions differ only in their notes.'}
      </p>
    );
  return (
    <div className={styles.diff}>
      {!isSamePrompt && (
        <section className="stack-2">
          <h3>System prompt</h3>
          <MissingPrompt prompts={[from.system_prompt, to.system_prompt]} titles={titles} />
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
        </section>
      )}
      {changedParts.map(({ title, fields, texts }) => (
        <section key={title} className="stack-2">
          <h3>{title}</h3>
          {fields.length > 0 && (
            <FieldTable key={titles.join()} label={`${title} changes`} fields={fields} titles={titles} />
          )}
          {texts && (
            <LineDiff key={titles.join()} label={title} from={texts[0]} to={texts[1]} titles={titles} />
          )}
        </section>
      ))}
      <section className="stack-2">
        <h3>Config</h3>
        {changed.some(({ isCoarse }) => isCoarse) && (
          <p className="muted">Some fields are nested too deeply to compare in detail and are shown whole.</p>
        )}
        {changed.length > 0 && (
          <FieldTable key={titles.join()} label="Config changes" fields={changed} titles={titles} />
        )}
        {unchanged.length > 0 && <UnchangedFields fields={unchanged} titles={titles} />}
      </section>
      {sameTitles.length > 0 && <p className="muted">Unchanged: {sameTitles.join(', ')}.</p>}
    </div>
  );
}

function isSamePart({ fields, texts }: Pick<PartComparison, 'fields' | 'texts'>): boolean {
  return fields.length === 0 && texts === undefined;
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
  if (from.dialect === to.dialect) return fields;
  return [{ path: 'captured as', kind: 'changed' as const, from: from.dialect, to: to.dialect }, ...fields];
}

interface MissingPromptProps {
  readonly prompts: readonly (string | null)[];
  readonly titles: readonly string[];
}

/** Says which version lacks a prompt: a missing prompt and an empty one look the same. */
function MissingPrompt({ prompts, titles }: MissingPromptProps) {
  const missing = titles[prompts.indexOf(null)];
  const empty = titles[prompts.indexOf('')];
  return (
    <>
      {missing && <p className="muted">{missing} has no system prompt.</p>}
      {empty && <p className="muted">{empty} has an empty system prompt.</p>}
    </>
  );
}
