import { useId } from 'react';
import styles from './choice-field.module.css';

export interface Choice<Value extends string> {
  readonly value: Value;
  readonly label: string;
  /** What it means to choose it. */
  readonly hint?: string;
}

interface ChoiceFieldProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  readonly choices: readonly Choice<Value>[];
}

/** One of a few, each of which has something to say. */
export function ChoiceField<Value extends string>(props: ChoiceFieldProps<Value>) {
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
