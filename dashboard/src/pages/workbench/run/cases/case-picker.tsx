import { useMemo, useState } from 'react';
import combobox from '../../../../components/combobox.module.css';
import { ComboboxField } from '../../../../components/combobox.tsx';
import type { CaseInputs } from './case-inputs.ts';
import { createSearch } from './shown-cases.ts';

interface CasePickerProps {
  /** Undefined while they load. */
  readonly cases: readonly CaseInputs[] | undefined;
  /** The name of the chosen case; undefined for none. */
  readonly value: string | undefined;
  readonly onChange: (name: string | undefined) => void;
}

/** More do not help to find one; typing does. */
const shownMax = 60;

/** Finds a test case by its name, its note or what is in it. */
export function CasePicker({ cases, value, onChange }: CasePickerProps) {
  /** Instead of the chosen case, until the user chooses another one or leaves. */
  const [typed, setTyped] = useState<string>();
  const found = useMemo(() => findCases(cases ?? [], typed ?? ''), [cases, typed]);
  const isEmpty = cases?.length === 0;
  return (
    <ComboboxField<CaseInputs>
      label="Test case"
      isLabelHidden
      placeholder={isEmpty ? 'No test cases yet' : 'No test case'}
      items={found.slice(0, shownMax)}
      value={cases?.find(({ name }) => name === value)}
      onChange={(next) => onChange(next?.name)}
      typed={typed}
      onTyped={setTyped}
      keyOf={({ name }) => name}
      textOf={({ name }) => name}
      isOptional
      // The conversation would go with it.
      isClearedByButton
      empty={isEmpty ? 'Save the inputs of a run as a case first.' : 'No matching cases'}
      after={
        found.length > shownMax && (
          <p className={combobox.empty}>{found.length - shownMax} more. Type to find one.</p>
        )
      }
    >
      {({ name, note }) => (
        <>
          <span>{name}</span>
          {note !== null && <span className="note">{note}</span>}
        </>
      )}
    </ComboboxField>
  );
}

/** Those whose name has what is typed come first. */
function findCases(cases: readonly CaseInputs[], typed: string): readonly CaseInputs[] {
  const isNamed = ({ name }: CaseInputs) => name.toLowerCase().includes(typed.trim().toLowerCase());
  const found = createSearch(cases)(typed);
  return [...found.filter(isNamed), ...found.filter((one) => !isNamed(one))];
}
