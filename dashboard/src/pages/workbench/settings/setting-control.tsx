import { useEffect, useRef, useState } from 'react';
import { SelectField, TextField } from '../../../components/fields.tsx';
import { ModelField } from '../../../features/request/model-field.tsx';
import { changeField } from '../../../features/request/request-text.ts';
import { valueAt } from '../draft-content.ts';
import { JsonField } from '../json-field.tsx';
import { useDraft, useWorkbench } from '../workbench.ts';
import type { Control, SettingField } from './settings-fields.ts';

/** One setting with the control that fits it, or as JSON if its value has another form. */
export function SettingControl({ label, path, control, hint }: SettingField) {
  const { canEdit, edit } = useWorkbench();
  const value = useDraft(({ body }) => valueAt(body, path));
  const change = (next: unknown) => edit((text) => changeField(text, path, next));
  const shared = { label, isReadOnly: !canEdit, ...(hint !== undefined && { hint }) };
  if (value !== undefined && value !== null && !fits(control, value))
    return <JsonField label={label} path={path} hint={hint} />;
  if (control.kind === 'model')
    return <ModelField {...shared} value={typeof value === 'string' ? value : ''} onChange={change} />;
  if (control.kind === 'number')
    return <NumberField {...shared} {...control} value={value} onChange={change} />;
  if (control.kind === 'list')
    return <ListField {...shared} {...control} value={value as readonly string[]} onChange={change} />;
  const options =
    control.kind === 'flag' ? flagOptions : control.options.map((name) => [name, name] as const);
  return (
    <SelectField<string>
      label={label}
      hint={hint}
      // A choice cannot be read-only.
      isDisabled={!canEdit}
      value={value === undefined || value === null ? '' : String(value)}
      options={[['', 'Default'], ...options]}
      onChange={(chosen) =>
        change(chosen === '' ? undefined : control.kind === 'flag' ? chosen === 'true' : chosen)
      }
    />
  );
}

const flagOptions = [
  ['true', 'Yes'],
  ['false', 'No'],
] as const;

function fits(control: Control, value: unknown): boolean {
  switch (control.kind) {
    case 'model':
      return typeof value === 'string';
    case 'number':
      return typeof value === 'number';
    case 'flag':
      return typeof value === 'boolean';
    case 'choice':
      return typeof value === 'string' && control.options.includes(value);
    case 'list':
      return Array.isArray(value) && value.every((item) => typeof item === 'string' && !item.includes('\n'));
  }
}

interface FieldProps<Value> {
  readonly label: string;
  readonly hint?: string;
  readonly isReadOnly: boolean;
  readonly value: Value;
  readonly onChange: (value: unknown) => void;
}

interface NumberFieldProps extends FieldProps<unknown> {
  readonly min?: number;
  readonly max?: number;
  readonly step: number;
}

/** Keeps what the user types, such as `0.`, until it is a number. Empty means the default. */
function NumberField({ value, onChange, min, max, step, ...field }: NumberFieldProps) {
  const shown = typeof value === 'number' ? String(value) : '';
  const [typed, setTyped] = useTyped(shown);
  const number = Number(typed);
  const isInRange = number >= (min ?? number) && number <= (max ?? number);
  const isValid = typed.trim() === '' || (isInRange && (step < 1 || Number.isInteger(number)));
  return (
    <TextField
      {...field}
      type="number"
      placeholder="Default"
      value={typed}
      error={isValid ? undefined : rangeMessage(min, max, step)}
      onChange={(text) => {
        setTyped(text);
        if (text.trim() === '') onChange(undefined);
        else if (Number.isFinite(Number(text))) onChange(Number(text));
      }}
    />
  );
}

function rangeMessage(min: number | undefined, max: number | undefined, step: number): string {
  const kind = step < 1 ? 'a number' : 'a whole number';
  if (min !== undefined && max !== undefined) return `Enter ${kind} from ${min} to ${max}.`;
  return min === undefined ? `Enter ${kind}.` : `Enter ${kind} from ${min}.`;
}

interface ListFieldProps extends FieldProps<readonly string[] | undefined> {
  readonly placeholder: string;
}

/** One item per line. Empty lines count for nothing, so that the user can start a new one. */
function ListField({ value, onChange, placeholder, ...field }: ListFieldProps) {
  const [typed, setTyped] = useTyped((value ?? []).join('\n'), linesOf);
  return (
    <TextField
      {...field}
      isMono
      lines={Math.min(8, Math.max(2, typed.split('\n').length))}
      placeholder={placeholder}
      value={typed}
      onChange={(text) => {
        setTyped(text);
        const lines = linesOf(text);
        onChange(lines === '' ? undefined : lines.split('\n'));
      }}
    />
  );
}

function linesOf(text: string): string {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .join('\n');
}

/**
 * The text of a field whose value is something else. Changes from elsewhere replace it, unless it
 * means the same already.
 */
export function useTyped(shown: string, meaning: (text: string) => string = numberText) {
  const [typed, setTyped] = useState(shown);
  const latestMeaning = useRef(meaning);
  latestMeaning.current = meaning;
  useEffect(() => {
    setTyped((before) => (latestMeaning.current(before) === shown ? before : shown));
  }, [shown]);
  return [typed, setTyped] as const;
}

function numberText(text: string): string {
  return text.trim() === '' || !Number.isFinite(Number(text)) ? '' : String(Number(text));
}
