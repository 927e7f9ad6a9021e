import { type ReactNode, useId } from 'react';
import styles from './field.module.css';

interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  /** Takes precedence over the hint. */
  readonly error?: string | undefined;
  /** For screen readers only, where the position of the field makes its purpose obvious. */
  readonly isLabelHidden?: boolean;
  readonly children: (ids: { readonly id: string; readonly describedBy: string | undefined }) => ReactNode;
}

/**
 * A form control with its label and either an error or a hint. `children` receives the IDs that
 * connect them.
 */
export function Field({ label, hint, error, isLabelHidden = false, children }: FieldProps) {
  const id = useId();
  const noteId = useId();
  const note = error ?? hint;
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={isLabelHidden ? 'visually-hidden' : styles.label}>
        {label}
      </label>
      {children({ id, describedBy: note === undefined ? undefined : noteId })}
      {note !== undefined && (
        <p id={noteId} className={error === undefined ? styles.hint : styles.error}>
          {note}
        </p>
      )}
    </div>
  );
}
