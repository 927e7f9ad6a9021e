import { useState } from 'react';
import { SelectField, TextField } from '../../components/fields.tsx';
import styles from './compare.module.css';
import { listedMax, parseExistingVersion, type VersionPointers, versionOptions } from './version-choice.ts';

interface VersionFieldProps {
  readonly label: string;
  readonly versions: VersionPointers;
  readonly value: number;
  readonly onChange: (version: number) => void;
}

/**
 * Selects a version from a list. If there are more than the list holds, a second field takes a
 * number.
 */
export function VersionField({ label, versions, value, onChange }: VersionFieldProps) {
  return (
    <div className={styles.version}>
      <SelectField
        label={label}
        value={String(value)}
        options={versionOptions(versions, [value])}
        onChange={(chosen) => onChange(Number(chosen))}
      />
      {versions.latest > listedMax && (
        <VersionNumberField label={`${label} version number`} latest={versions.latest} onChange={onChange} />
      )}
    </div>
  );
}

interface VersionNumberFieldProps {
  readonly label: string;
  readonly latest: number;
  readonly onChange: (version: number) => void;
}

/** Applies each valid number as it is typed. */
export function VersionNumberField({ label, latest, onChange }: VersionNumberFieldProps) {
  const [typed, setTyped] = useState('');
  const isInvalid = typed !== '' && parseExistingVersion(typed, latest) === undefined;
  return (
    <TextField
      label={label}
      value={typed}
      placeholder={`1 to ${latest}`}
      error={isInvalid ? `Enter a version from 1 to ${latest}.` : undefined}
      onChange={(text) => {
        const number = text.trim();
        setTyped(number);
        const version = parseExistingVersion(number, latest);
        if (version !== undefined) onChange(version);
      }}
    />
  );
}
