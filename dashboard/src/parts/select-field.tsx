import type { ReactNode } from 'react';
import styles from './field.module.css';
import { Field } from './field.tsx';

interface SelectFieldProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  /** Value and what is read, in the order of the list. */
  readonly options: readonly (readonly [value: Value, text: string])[];
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
  readonly isLabelHidden?: boolean;
  readonly isDisabled?: boolean;
}

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
