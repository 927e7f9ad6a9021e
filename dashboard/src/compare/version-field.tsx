import { useState } from 'react';
import { SelectField } from '../parts/select-field.tsx';
import { TextField } from '../parts/text-field.tsx';
import styles from './version-field.module.css';
import { type KnownVersions, listedMax, versionOptions } from './version-options.ts';

interface VersionFieldProps {
  readonly label: string;
  readonly versions: KnownVersions;
  readonly value: number;
  readonly onChange: (version: number) => void;
}

/** A version by its names or, where there are more than a list can hold, by its number. */
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
        <NumberField label={`${label}, by number`} latest={versions.latest} onChange={onChange} />
      )}
    </div>
  );
}

interface NumberFieldProps {
  readonly label: string;
  readonly latest: number;
  readonly onChange: (version: number) => void;
}

export function NumberField({ label, latest, onChange }: NumberFieldProps) {
  const [typed, setTyped] = useState('');
  const isWrong = typed !== '' && !isVersion(typed, latest);
  return (
    <TextField
      label={label}
      value={typed}
      placeholder={`1 to ${latest}`}
      error={isWrong ? `There are versions 1 to ${latest}.` : undefined}
      onChange={(text) => {
        const number = text.trim();
        setTyped(number);
        if (isVersion(number, latest)) onChange(Number(number));
      }}
    />
  );
}

function isVersion(text: string, latest: number): boolean {
  return /^[1-9]\d{0,8}$/.test(text) && Number(text) <= latest;
}
