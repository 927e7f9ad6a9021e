import { Link } from 'wouter';
import type { Preset } from '../../../../src/api/presets.ts';
import { classNames } from '../../components/class-names.ts';
import { presetPath } from '../../components/preset-links.ts';
import { versionUsagePath } from './usage-path.ts';
import styles from './version-usage.module.css';
import {
  describeUsage,
  differenceCells,
  usageCells,
  usageRemark,
  usageTitles,
  useVersionUsage,
} from './version-usage.ts';

type CalledPreset = Pick<Preset, 'id' | 'slug' | 'created_at'>;

interface VersionFactsProps {
  readonly preset: CalledPreset;
  readonly version: number;
}

/** How a version behaves, on one line that keeps its height. Nothing for a preset without calls. */
export function VersionFacts({ preset, version }: VersionFactsProps) {
  const { data } = useVersionUsage(preset);
  const usage = data?.get(version);
  const isKnown = data !== undefined && data.size > 0;
  return (
    <p className={classNames(styles.facts, styles.rowFacts)}>
      {usage === undefined ? isKnown && 'No calls' : <Facts facts={describeUsage(usage)} />}
    </p>
  );
}

/** The same with a link to the page of usage and, for a preset without calls, to its use. */
export function LinkedVersionFacts({ preset, version }: VersionFactsProps) {
  const { data } = useVersionUsage(preset);
  const usage = data?.get(version);
  if (usage !== undefined)
    return (
      <p className={styles.facts}>
        <Link
          href={versionUsagePath(preset, version)}
          className={styles.factsLink}
          title={usageRemark(usage) ?? 'Show usage'}
        >
          <Facts facts={describeUsage(usage)} />
        </Link>
      </p>
    );
  return (
    <p className={styles.facts}>
      {data !== undefined &&
        (data.size > 0 ? (
          'No calls'
        ) : (
          <>
            Never called. <Link href={presetPath(preset.slug, 'use')}>Call it</Link> to see its cost, errors
            and latency here.
          </>
        ))}
    </p>
  );
}

function Facts({ facts }: { readonly facts: readonly string[] }) {
  return facts.map((fact, index) => (
    <span key={fact} className={styles.fact}>
      {index > 0 && <span className="visually-hidden">, </span>}
      {fact}
    </span>
  ));
}

interface VersionTableProps {
  readonly preset: CalledPreset;
  readonly versions: readonly { readonly version: number; readonly title: string }[];
  /** In a dialog, links open another tab. */
  readonly isInDialog?: boolean;
}

/** How versions behave, side by side. Nothing once it is known that none of them was called. */
export function VersionTable({ preset, versions, isInDialog = false }: VersionTableProps) {
  const { data, error } = useVersionUsage(preset);
  if (error || (data !== undefined && !versions.some(({ version }) => data.has(version)))) return null;
  const [first, second] = versions;
  const differences =
    data && first && second && differenceCells(data.get(first.version), data.get(second.version));
  return (
    <table className={styles.table} aria-label="How the versions behave">
      <thead>
        <tr>
          <th scope="col">
            <span className="visually-hidden">Version</span>
          </th>
          {usageTitles.map((title) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {versions.map(({ version, title }) => {
          const usage = data?.get(version);
          return (
            <tr key={version}>
              <th scope="row">
                <Link
                  href={versionUsagePath(preset, version)}
                  className={styles.factsLink}
                  {...(isInDialog && { target: '_blank' })}
                >
                  {title}
                </Link>
              </th>
              {usageTitles.map((name, index) => (
                <td key={name} title={usage && index === 1 ? usageRemark(usage) : undefined}>
                  {data === undefined ? '\u00a0' : usageCells(usage)[index]}
                </td>
              ))}
            </tr>
          );
        })}
        {first !== undefined && second !== undefined && (
          <tr>
            <th scope="row">Difference</th>
            {usageTitles.map((name, index) => (
              <td key={name}>{differences?.[index] ?? '\u00a0'}</td>
            ))}
          </tr>
        )}
      </tbody>
    </table>
  );
}
