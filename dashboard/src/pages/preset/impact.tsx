import { type PresetSnapshot, useAliases, useLabels } from '../../api/presets.ts';
import styles from './preset.module.css';

/** More would hide the buttons below. */
const namesMax = 12;

/** All names by which callers know a preset. Shown before a change that makes their calls fail. */
export function BrokenNames({ snapshot }: { readonly snapshot: PresetSnapshot }) {
  const { slug } = snapshot.preset;
  const aliases = useAliases(slug, snapshot.etag);
  const labels = useLabels(slug, snapshot.etag);
  const names: readonly (readonly [name: string, remark: string])[] = [
    [slug, ''],
    ...(aliases.data?.data.map(({ alias }) => [alias, ' (alias)'] as const) ?? []),
    ...(labels.data?.data.map(
      ({ label, version }) => [`${slug}:${label}`, ` (label, version ${version})`] as const,
    ) ?? []),
  ];
  return (
    <div className="stack-1">
      <h3>Names that stop working</h3>
      <ul className={styles.names} aria-label="Names that stop working">
        {names.slice(0, namesMax).map(([name, remark]) => (
          <li key={name}>
            <code>@preset/{name}</code>
            {remark}
          </li>
        ))}
        {names.length > namesMax && <li>and {names.length - namesMax} more</li>}
      </ul>
      {(aliases.error || labels.error) && <p className="note">Could not load all labels and aliases.</p>}
    </div>
  );
}
