import { type ReactNode, useEffect, useRef } from 'react';
import { classNames } from './class-names.ts';
import styles from './field.module.css';
import { Field } from './field.tsx';

interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly type?: 'text' | 'password' | 'search' | 'email' | 'date' | 'datetime-local' | 'number';
  readonly hint?: ReactNode;
  /** Replaces the hint and marks the field as invalid. */
  readonly error?: string | undefined;
  readonly placeholder?: string;
  readonly autoComplete?: string;
  /** Monospaced and without spell checking, for keys, slugs and code. */
  readonly isMono?: boolean;
  readonly isLabelHidden?: boolean;
  /** Focuses the field when it appears. */
  readonly focusOnMount?: boolean;
  readonly isDisabled?: boolean;
  readonly maxLength?: number;
  /** ID of a datalist with suggestions; for single-line fields only. */
  readonly list?: string;
  /** Renders a text area with this many rows. */
  readonly lines?: number;
}

/** A labeled input, or a text area if `lines` is set. The hint gives way to an error. */
export function TextField({ label, hint, error, isLabelHidden, ...control }: TextFieldProps) {
  return (
    <Field label={label} hint={hint} error={error} isLabelHidden={isLabelHidden ?? false}>
      {(ids) => <TextControl {...ids} {...control} isInvalid={error !== undefined} />}
    </Field>
  );
}

interface TextControlProps extends Omit<TextFieldProps, 'label' | 'hint' | 'error' | 'isLabelHidden'> {
  readonly id: string;
  readonly describedBy: string | undefined;
  readonly isInvalid: boolean;
}

/** Input and text area share everything but their element. */
function TextControl({
  describedBy,
  isInvalid,
  focusOnMount,
  isMono,
  isDisabled,
  lines,
  list,
  type,
  onChange,
  ...rest
}: TextControlProps) {
  const control = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  useEffect(() => {
    if (focusOnMount) control.current?.focus();
  }, [focusOnMount]);
  const shared = {
    ...rest,
    ref: control,
    onChange: (event: { target: { value: string } }) => onChange(event.target.value),
    disabled: isDisabled,
    'aria-describedby': describedBy,
    'aria-invalid': isInvalid || undefined,
    className: classNames(styles.control, isMono && styles.mono),
    spellCheck: isMono ? false : undefined,
  };
  return lines === undefined ? (
    <input type={type ?? 'text'} list={list} {...shared} />
  ) : (
    <textarea rows={lines} {...shared} />
  );
}
