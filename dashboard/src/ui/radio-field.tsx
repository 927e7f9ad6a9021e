import { useId } from 'react';
import styles from './option-field.module.css';

/** One option of a radio group. */
export interface Choice<Value extends string> {
  readonly value: Value;
  readonly label: string;
  /** The consequence of choosing this option. */
  readonly hint?: string;
}

interface RadioFieldProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  /** In display order. */
  readonly choices: readonly Choice<Value>[];
}

/** A radio group for a few options that each need an explanation. For more, use `SelectField`. */
export function RadioField<Value extends string>(props: RadioFieldProps<Value>) {
  const id = useId();
  return (
    <fieldset className={styles.choices}>
      <legend>{props.label}</legend>
      {props.choices.map(({ value, label, hint }) => (
        <div key={value} className={styles.option}>
          <input
            id={`${id}-${value}`}
            type="radio"
            name={id}
            checked={value === props.value}
            aria-describedby={hint === undefined ? undefined : `${id}-${value}-hint`}
            onChange={() => props.onChange(value)}
          />
          <label htmlFor={`${id}-${value}`}>{label}</label>
          {hint !== undefined && (
            <span id={`${id}-${value}-hint`} className={styles.hint}>
              {hint}
            </span>
          )}
        </div>
      ))}
    </fieldset>
  );
}
