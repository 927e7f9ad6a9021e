import type { Dialect } from '../../../src/core/preset.ts';
import { dialectNames, dialectOptions } from '../api/dialects.ts';
import { SelectField } from '../parts/select-field.tsx';

interface DialectChoiceProps {
  /** As it looks; undefined where it cannot be told, or where there is nothing to tell it from. */
  readonly recognized: Dialect | undefined;
  /** What the person said instead. */
  readonly chosen: Dialect | undefined;
  readonly onChoose: (dialect: Dialect | undefined) => void;
  /** There is a request, and it has to be known how it is written. */
  readonly isNeeded: boolean;
}

export function DialectChoice({ recognized, chosen, onChoose, isNeeded }: DialectChoiceProps) {
  const shown = chosen ?? recognized ?? '';
  return (
    <SelectField<Dialect | ''>
      label="Format"
      value={shown}
      options={shown === '' ? [['', 'Recognized by itself'], ...dialectOptions] : dialectOptions}
      onChange={(dialect) => onChoose(dialect === '' || dialect === recognized ? undefined : dialect)}
      hint={hintFor(recognized, chosen)}
      error={shown === '' && isNeeded ? 'It cannot be told how this is written. Choose one.' : undefined}
    />
  );
}

function hintFor(recognized: Dialect | undefined, chosen: Dialect | undefined): string {
  if (chosen === undefined)
    return recognized === undefined ? 'Told from the request.' : `Recognized as ${dialectNames[recognized]}.`;
  if (recognized === undefined) return 'As you chose.';
  return recognized === chosen
    ? `Recognized as ${dialectNames[recognized]}.`
    : `As you chose. It looks like ${dialectNames[recognized]}.`;
}
