import { useId } from 'react';
import styles from './option-field.module.css';

interface CheckboxFieldProps {
  readonly label: string;
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
  readonly hint?: string;
}

/** A checkbox whose hint is announced together with its label. */
export function CheckboxField({ label, isChecked, onChange, hint }: CheckboxFieldProps) {
  const id = useId();
  return (
    <div className={styles.option}>
      <input
        id={id}
        type="checkbox"
        checked={isChecked}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={(event) => onChange(event.target.checked)}
      />
      <label htmlFor={id}>{label}</label>
      {hint !== undefined && (
        <span id={`${id}-hint`} className={styles.hint}>
          {hint}
        </span>
      )}
    </div>
  );
}
