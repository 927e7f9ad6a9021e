import type { ReactNode } from 'react';
import styles from './field.module.css';
import { Field } from './field.tsx';

interface SelectFieldProps<Value extends string> {
  readonly label: string;
  /** Must be one of the options, or the browser shows the first. */
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  /** Pairs of value and text, in display order. */
  readonly options: readonly (readonly [value: Value, text: string])[];
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
  readonly isLabelHidden?: boolean;
  readonly isDisabled?: boolean;
}

/** A select with typed values: `onChange` only ever receives one of the options. */
export function SelectField<Value extends string>(props: SelectFieldProps<Value>) {
  const { label, value, onChange, options, hint, error, isLabelHidden = false, isDisabled = false } = props;
  return (
    <Field label={label} hint={hint} error={error} isLabelHidden={isLabelHidden}>
      {({ id, describedBy }) => (
        <select
          id={id}
          aria-describedby={describedBy}
          aria-invalid={error !== undefined || undefined}
          className={styles.control}
          value={value}
          disabled={isDisabled}
          onChange={(event) => {
            const chosen = options.find(([option]) => option === event.target.value);
            if (chosen !== undefined) onChange(chosen[0]);
          }}
        >
          {options.map(([option, text]) => (
            <option key={option} value={option}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
