import type { Dialect } from '../../../src/core/presets/preset.ts';
import { dialectNames, dialectOptions } from '../api/dialects.ts';
import { SelectField } from '../ui/select-field.tsx';

interface DialectFieldProps {
  /** The detected dialect; undefined if the request is empty or ambiguous. */
  readonly recognized: Dialect | undefined;
  /** The user's choice, if it overrides detection. */
  readonly selected: Dialect | undefined;
  readonly onSelect: (dialect: Dialect | undefined) => void;
  /** Whether there is a request that cannot be checked without a dialect. */
  readonly isRequired: boolean;
}

/** The format of the request: detected from its fields, unless the user selects another. */
export function DialectField({ recognized, selected, onSelect, isRequired }: DialectFieldProps) {
  const shown = selected ?? recognized ?? '';
  return (
    <SelectField<Dialect | ''>
      label="Format"
      value={shown}
      options={shown === '' ? [['', 'Detect automatically'], ...dialectOptions] : dialectOptions}
      onChange={(dialect) => onSelect(dialect === '' || dialect === recognized ? undefined : dialect)}
      hint={hintFor(recognized, selected)}
      error={shown === '' && isRequired ? 'Could not detect the format. Choose one.' : undefined}
    />
  );
}

function hintFor(recognized: Dialect | undefined, selected: Dialect | undefined): string {
  if (selected !== undefined && recognized !== undefined && selected !== recognized)
    return `Selected by you. The request looks like ${dialectNames[recognized]}.`;
  if (selected !== undefined && recognized === undefined) return 'Selected by you.';
  return recognized === undefined ? 'Detected when you paste a request.' : 'Detected from the request.';
}
