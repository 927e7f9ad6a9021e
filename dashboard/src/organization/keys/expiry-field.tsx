import { SelectField } from '../../ui/select-field.tsx';
import { TextField } from '../../ui/text-field.tsx';
import styles from '../organization.module.css';
import type { Expiry, ExpiryChoice } from './expiry.ts';

interface ExpiryFieldProps {
  readonly expiry: Expiry;
  readonly onChange: (expiry: Expiry) => void;
  readonly problem: string | undefined;
  /** For an existing key: the option that keeps its current expiry. */
  readonly current?: string;
}

/** Common expiries, or the last day on which a key works. */
export function ExpiryField({ expiry, onChange, problem, current }: ExpiryFieldProps) {
  const options: readonly (readonly [ExpiryChoice, string])[] = [
    ...(current === undefined ? [] : [['keep', current] as const]),
    ['never', 'Never'],
    ['30', 'In 30 days'],
    ['90', 'In 90 days'],
    ['date', 'On a date'],
  ];
  return (
    <div className={expiry.choice === 'date' ? styles.pair : undefined}>
      <SelectField
        label="Expires"
        value={expiry.choice}
        options={options}
        onChange={(choice) => onChange({ ...expiry, choice })}
      />
      {expiry.choice === 'date' && (
        <TextField
          label="Last day"
          type="date"
          value={expiry.date}
          onChange={(date) => onChange({ ...expiry, date })}
          error={problem}
          hint="The key works until the end of this day in your time zone."
        />
      )}
    </div>
  );
}
