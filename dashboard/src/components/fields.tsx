import {
  type KeyboardEvent,
  type KeyboardEventHandler,
  type ReactNode,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';
import { classNames } from './class-names.ts';
import styles from './fields.module.css';

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
  /** Password managers recognize the field by it. */
  readonly name?: string;
  /** Monospaced and without spell checking, for keys, slugs and code. */
  readonly isMono?: boolean;
  readonly isLabelHidden?: boolean;
  /** Focuses the field when it appears. */
  readonly focusOnMount?: boolean;
  readonly isDisabled?: boolean;
  /** Can be focused and copied, but not changed. */
  readonly isReadOnly?: boolean;
  readonly isRequired?: boolean;
  readonly maxLength?: number;
  /** ID of a datalist with suggestions; for single-line fields only. */
  readonly list?: string;
  /** Renders a text area with this many rows. */
  readonly lines?: number;
  readonly onKeyDown?: KeyboardEventHandler;
}

/** A labeled input, or a text area if `lines` is set. The hint gives way to an error. */
export function TextField({ label, hint, error, isLabelHidden, ...control }: TextFieldProps) {
  const { isRequired } = control;
  return (
    <Field label={label} hint={hint} error={error} isLabelHidden={isLabelHidden} isRequired={isRequired}>
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
  isReadOnly,
  isRequired,
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
    readOnly: isReadOnly,
    'aria-required': isRequired,
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

interface SearchFieldProps {
  readonly label: string;
  readonly placeholder: string;
  readonly maxLength: number;
  /** The current search, from the URL. */
  readonly q: string;
  /** Called after a short pause, with the trimmed text. */
  readonly onSearch: (q: string) => void;
}

/** Debounce: shorter than a pause, longer than the gap between keystrokes. */
const debounceMs = 180;

/** Searches while the user types. */
export function SearchField({ q, onSearch, ...field }: SearchFieldProps) {
  const [text, setText] = useState(q);
  const search = useRef(onSearch);
  search.current = onSearch;
  // Back, forward and "Clear filters" change the search from outside.
  useEffect(() => setText((typed) => (typed.trim() === q ? typed : q)), [q]);
  useEffect(() => {
    if (text.trim() === q) return;
    const timer = setTimeout(() => search.current(text.trim()), debounceMs);
    return () => clearTimeout(timer);
  }, [text, q]);
  return <TextField {...field} isLabelHidden type="search" value={text} onChange={setText} />;
}

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
  readonly isRequired?: boolean;
}

/** A select with typed values: `onChange` only ever receives one of the options. */
export function SelectField<Value extends string>(props: SelectFieldProps<Value>) {
  const { label, value, onChange, options, hint, error, isLabelHidden, isDisabled, isRequired } = props;
  return (
    <Field label={label} hint={hint} error={error} isLabelHidden={isLabelHidden} isRequired={isRequired}>
      {({ id, describedBy }) => (
        <select
          id={id}
          aria-describedby={describedBy}
          aria-invalid={error !== undefined || undefined}
          aria-required={isRequired}
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

interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  /** Takes precedence over the hint. */
  readonly error?: string | undefined;
  /** For screen readers only, where the position of the field makes its purpose obvious. */
  readonly isLabelHidden?: boolean | undefined;
  /** Marks the field; the control has to say so to screen readers. */
  readonly isRequired?: boolean | undefined;
  readonly children: (ids: { readonly id: string; readonly describedBy: string | undefined }) => ReactNode;
}

/**
 * A form control with its label and either an error or a hint. `children` receives the IDs that
 * connect them.
 */
export function Field({ label, hint, error, isLabelHidden, isRequired, children }: FieldProps) {
  const id = useId();
  const noteId = useId();
  const note = error ?? hint;
  return (
    <div className="stack-1" data-field>
      <label htmlFor={id} className={isLabelHidden ? 'visually-hidden' : 'strong'}>
        {label}
        {isRequired && (
          <span aria-hidden="true" className={styles.required}>
            Required
          </span>
        )}
      </label>
      {children({ id, describedBy: note === undefined ? undefined : noteId })}
      {note !== undefined && (
        <p id={noteId} className={error === undefined ? 'note' : styles.error}>
          {note}
        </p>
      )}
    </div>
  );
}

/** One option of a radio group. */
export interface Choice<Value extends string> {
  readonly value: Value;
  readonly label: string;
  /** The consequence of choosing this option. */
  readonly hint?: string;
  /** Then the hint is the reason. */
  readonly isDisabled?: boolean;
}

interface RadioFieldProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  /** In display order. */
  readonly choices: readonly Choice<Value>[];
  readonly error?: string | undefined;
}

/** A radio group for a few options that each need an explanation. For more, use `SelectField`. */
export function RadioField<Value extends string>(props: RadioFieldProps<Value>) {
  const id = useId();
  return (
    <fieldset
      className={styles.choices}
      aria-describedby={props.error && `${id}-error`}
      data-field
      data-invalid={props.error === undefined ? undefined : ''}
    >
      <legend>{props.label}</legend>
      {props.choices.map(({ value, label, hint, isDisabled = false }) => (
        <div key={value} className={styles.option}>
          <input
            id={`${id}-${value}`}
            type="radio"
            name={id}
            checked={value === props.value}
            disabled={isDisabled}
            aria-describedby={hint === undefined ? undefined : `${id}-${value}-hint`}
            onChange={() => props.onChange(value)}
          />
          <label htmlFor={`${id}-${value}`}>{label}</label>
          {hint !== undefined && (
            <span id={`${id}-${value}-hint`} className={styles.optionHint}>
              {hint}
            </span>
          )}
        </div>
      ))}
      {props.error !== undefined && (
        <p id={`${id}-error`} className={styles.error}>
          {props.error}
        </p>
      )}
    </fieldset>
  );
}

interface CheckboxFieldProps {
  readonly label: string;
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
  readonly hint?: ReactNode;
  readonly isDisabled?: boolean;
}

/** A checkbox whose hint is announced together with its label. */
export function CheckboxField(props: CheckboxFieldProps) {
  const { label, isChecked, onChange, hint, isDisabled = false } = props;
  const id = useId();
  return (
    <div className={styles.option}>
      <input
        id={id}
        type="checkbox"
        checked={isChecked}
        disabled={isDisabled}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={(event) => onChange(event.target.checked)}
      />
      <label htmlFor={id}>{label}</label>
      {hint !== undefined && (
        <span id={`${id}-hint`} className={styles.optionHint}>
          {hint}
        </span>
      )}
    </div>
  );
}

/**
 * Submits a form on Ctrl+Enter or ⌘+Enter from any field, including multi-line ones, but not from
 * another button, such as Cancel.
 */
export function submitOnCtrlEnter(event: KeyboardEvent<HTMLFormElement>): void {
  if (event.key !== 'Enter' || event.repeat || !(event.ctrlKey || event.metaKey)) return;
  if (event.target instanceof HTMLButtonElement && event.target.type !== 'submit') return;
  event.preventDefault();
  event.currentTarget.requestSubmit();
}
