import { Combobox } from '@base-ui/react/combobox';
import { ChevronDown, X } from 'lucide-react';
import { useMemo, useState } from 'react';
import combobox from '../../../../components/combobox.module.css';
import fields from '../../../../components/fields.module.css';
import { Field } from '../../../../components/fields.tsx';
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
  const [input, setInput] = useState<HTMLInputElement | null>(null);
  const found = useMemo(() => findCases(cases ?? [], typed ?? ''), [cases, typed]);
  const chosen = cases?.find(({ name }) => name === value);
  return (
    <Field label="Test case" isLabelHidden>
      {({ id }) => (
        <Combobox.Root<CaseInputs>
          items={found.slice(0, shownMax)}
          filter={null}
          value={chosen ?? null}
          onValueChange={(next, details) => {
            // Escape and an empty text would clear the choice, and with it the conversation.
            if (details.reason !== 'item-press' && details.reason !== 'clear-press') return details.cancel();
            setTyped(undefined);
            onChange(next?.name);
          }}
          inputValue={typed ?? chosen?.name ?? ''}
          onInputValueChange={(text, { reason }) => setTyped(reason === 'input-change' ? text : undefined)}
          onOpenChange={(isOpen) => {
            if (!isOpen) setTyped(undefined);
          }}
          itemToStringLabel={({ name }) => name}
          isItemEqualToValue={(one, other) => one.name === other.name}
          autoHighlight
        >
          <Combobox.InputGroup className={combobox.picker}>
            <Combobox.Input
              ref={setInput}
              id={id}
              className={fields.control}
              placeholder={cases?.length === 0 ? 'No test cases yet' : 'No test case'}
              spellCheck={false}
              // Typing replaces the chosen case instead of adding to its name.
              onFocus={({ currentTarget }) => currentTarget.select()}
              onBlur={() => setTyped(undefined)}
            />
            {chosen !== undefined && (
              <Combobox.Clear className={combobox.pickerButton} aria-label="Clear Test case">
                <X aria-hidden="true" />
              </Combobox.Clear>
            )}
            <Combobox.Trigger className={combobox.pickerButton} aria-label="Choose Test case">
              <ChevronDown aria-hidden="true" />
            </Combobox.Trigger>
          </Combobox.InputGroup>
          {/* Outside a landmark it would be hard to find. */}
          <Combobox.Portal container={input?.closest<HTMLElement>('main')} className={combobox.portal}>
            <Combobox.Positioner className={combobox.positioner} sideOffset={4} positionMethod="fixed">
              <Combobox.Popup className={combobox.popup}>
                <Combobox.Empty className={combobox.empty}>
                  {cases?.length === 0 ? 'Save the inputs of a run as a case first.' : 'No matching cases'}
                </Combobox.Empty>
                <Combobox.List>
                  {(one: CaseInputs) => (
                    <Combobox.Item key={one.name} value={one} className={combobox.item}>
                      <span>{one.name}</span>
                      {one.note !== null && <span className="note">{one.note}</span>}
                    </Combobox.Item>
                  )}
                </Combobox.List>
                {found.length > shownMax && (
                  <p className={combobox.empty}>{found.length - shownMax} more. Type to find one.</p>
                )}
              </Combobox.Popup>
            </Combobox.Positioner>
          </Combobox.Portal>
        </Combobox.Root>
      )}
    </Field>
  );
}

/** Those whose name has what is typed come first. */
function findCases(cases: readonly CaseInputs[], typed: string): readonly CaseInputs[] {
  const isNamed = ({ name }: CaseInputs) => name.toLowerCase().includes(typed.trim().toLowerCase());
  const found = createSearch(cases)(typed);
  return [...found.filter(isNamed), ...found.filter((one) => !isNamed(one))];
}
