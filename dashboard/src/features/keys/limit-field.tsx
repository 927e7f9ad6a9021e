import type { Key } from '../../../../src/api/keys.ts';
import {
  type LimitReset,
  limitDollarsMax,
  parseDollars,
} from '../../../../src/core/organization/limit-reset.ts';
import { SelectField, TextField } from '../../components/fields.tsx';
import styles from '../organization/organization.module.css';

interface LimitFieldProps {
  readonly limit: LimitInput;
  readonly onChange: (limit: LimitInput) => void;
  readonly problem: string | undefined;
  readonly hint: string;
}

/** The spending limit of a key, and when it resets. */
export function LimitField({ limit, onChange, problem, hint }: LimitFieldProps) {
  return (
    <div className={styles.pair}>
      <TextField
        label="Spending limit in USD (optional)"
        value={limit.amount}
        onChange={(amount) => onChange({ ...limit, amount })}
        error={problem}
        hint={hint}
        maxLength={20}
        autoComplete="off"
      />
      <SelectField
        label="Limit resets"
        value={limit.reset}
        options={resetOptions}
        onChange={(reset) => onChange({ ...limit, reset })}
      />
    </div>
  );
}

const resetOptions = [
  ['never', 'No reset'],
  ['daily', 'Daily'],
  ['weekly', 'Weekly'],
  ['monthly', 'Monthly'],
] as const;

/** As people enter it. Without an amount, there is no limit. */
export interface LimitInput {
  readonly amount: string;
  readonly reset: LimitReset | 'never';
}

type Limit = Pick<Key, 'limit' | 'limit_reset'>;

/** Of a new key, there is none. */
export function limitInput({ limit, limit_reset }: Limit = { limit: null, limit_reset: null }): LimitInput {
  return { amount: limit === null ? '' : plainNumber(limit), reset: limit_reset ?? 'never' };
}

/** Without the exponent that JavaScript gives small numbers. */
function plainNumber(amount: number): string {
  return amount.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 9 });
}

type LimitResult = { readonly limit: Limit; readonly problem?: never } | { readonly problem: string };

export function readLimit({ amount, reset }: LimitInput): LimitResult {
  const limit_reset = reset === 'never' ? null : reset;
  const text = amount.trim().replace(/^\$/, '');
  if (text === '') return { limit: { limit: null, limit_reset } };
  const limit = parseDollars(text);
  if (limit !== undefined) return { limit: { limit, limit_reset } };
  return {
    problem: `Enter an amount such as 20 or 12.50, at most ${limitDollarsMax.toLocaleString('en-US')}.`,
  };
}
