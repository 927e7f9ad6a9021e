import { SelectField, TextField } from '../../components/fields.tsx';
import { endOfDay } from '../../components/time.tsx';
import styles from '../organization/organization.module.css';

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

/** Numbers are days from now. `keep` is offered only when editing a key. */
type ExpiryChoice = 'keep' | 'never' | '30' | '90' | 'date';

export interface Expiry {
  readonly choice: ExpiryChoice;
  /** As a date input returns it, 2027-01-31; empty if none is chosen. */
  readonly date: string;
}

type ExpiryResult =
  | { readonly at: string | null | undefined; readonly problem?: never }
  | { readonly problem: string };

const dayMs = 24 * 3_600_000;

/**
 * When a key expires: null for never, undefined to keep the current expiry. A date includes the
 * whole of that local day.
 */
export function readExpiry({ choice, date }: Expiry, now: number): ExpiryResult {
  if (choice === 'keep') return { at: undefined };
  if (choice === 'never') return { at: null };
  if (choice !== 'date') return { at: new Date(now + Number(choice) * dayMs).toISOString() };
  const end = endOfDay(date);
  if (end === undefined) return { problem: 'Choose a date.' };
  if (end.getTime() <= now)
    return { problem: 'Choose today or a later date. To stop the key now, disable it.' };
  return { at: end.toISOString() };
}
