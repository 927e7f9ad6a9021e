import { Combobox } from '@base-ui/react/combobox';
import { ChevronDown, X } from 'lucide-react';
import { useState } from 'react';
import { personName, useMembers } from '../../api/organization.ts';
import combobox from '../../components/combobox.module.css';
import fields from '../../components/fields.module.css';
import { Field } from '../../components/fields.tsx';
import { messageOf } from '../../components/notice.tsx';
import { useDebounced } from '../../components/use-debounced.ts';
import { type NamedPerson, PersonLabel } from './person-label.tsx';

/** Somebody to choose: a member, or what `others` of the picker stand for. */
export interface PickedPerson extends NamedPerson {
  readonly id: string;
}

interface PersonPickerProps {
  readonly label: string;
  readonly value: PickedPerson | undefined;
  readonly onChange: (person: PickedPerson | undefined) => void;
  readonly error?: string | undefined;
  readonly hint?: string;
  readonly placeholder?: string;
  /** Offered if nothing is typed, after the members, and if no member matches. */
  readonly others?: (q: string) => readonly PickedPerson[];
  /** Whether the user can choose nobody. */
  readonly isOptional?: boolean;
  readonly isLabelHidden?: boolean;
}

const debounceMs = 180;

/** Enough to scan; typing finds the others. */
const shownMax = 20;

/** Finds a member of the organization by part of their name or address. The server searches. */
export function PersonPicker(props: PersonPickerProps) {
  const { value, onChange, others, isOptional = false, placeholder = 'Search people', ...field } = props;
  const [typed, setTyped] = useState('');
  const [input, setInput] = useState<HTMLInputElement | null>(null);
  const { value: q } = useDebounced(typed.trim(), debounceMs);
  const { data, error, isPlaceholderData } = useMembers({ q, offset: 0, limit: shownMax });
  // People found for an earlier text must not be there to be chosen with Enter.
  const isSearching = q !== typed.trim() || data === undefined || isPlaceholderData;
  const found = isSearching ? [] : data.data;
  const offered = isSearching || (q !== '' && found.length > 0) ? found : [...found, ...(others?.(q) ?? [])];
  return (
    <Field {...field}>
      {({ id, describedBy }) => (
        <Combobox.Root<PickedPerson>
          items={offered}
          filter={null}
          value={value ?? null}
          onValueChange={(person) => {
            setTyped('');
            onChange(person ?? undefined);
          }}
          onInputValueChange={(text, { reason }) => setTyped(reason === 'input-change' ? text : '')}
          onOpenChange={(isOpen) => {
            if (!isOpen) setTyped('');
          }}
          itemToStringLabel={nameOf}
          isItemEqualToValue={(one, other) => one.id === other.id}
          autoHighlight
        >
          <Combobox.InputGroup className={combobox.picker}>
            <Combobox.Input
              ref={setInput}
              id={id}
              aria-describedby={describedBy}
              aria-invalid={field.error !== undefined || undefined}
              className={fields.control}
              placeholder={placeholder}
              maxLength={254}
              spellCheck={false}
              // Typing replaces the chosen person instead of adding to their name.
              onFocus={({ currentTarget }) => currentTarget.select()}
            />
            {isOptional && value !== undefined && (
              <Combobox.Clear className={combobox.pickerButton} aria-label={`Clear ${field.label}`}>
                <X aria-hidden="true" />
              </Combobox.Clear>
            )}
            <Combobox.Trigger className={combobox.pickerButton} aria-label={`Choose ${field.label}`}>
              <ChevronDown aria-hidden="true" />
            </Combobox.Trigger>
          </Combobox.InputGroup>
          {/* Outside a modal dialog it would be inert, and outside a landmark hard to find. */}
          <Combobox.Portal
            container={input?.closest<HTMLElement>('dialog, main')}
            className={combobox.portal}
          >
            <Combobox.Positioner className={combobox.positioner} sideOffset={4} positionMethod="fixed">
              <Combobox.Popup className={combobox.popup} aria-busy={isSearching || undefined}>
                <Combobox.Status className={combobox.empty}>
                  {error ? messageOf(error) : isSearching ? 'Searching…' : undefined}
                </Combobox.Status>
                <Combobox.Empty className={combobox.empty}>
                  {!isSearching && `No one matches “${typed.trim()}”.`}
                </Combobox.Empty>
                <Combobox.List>
                  {(person: PickedPerson) => (
                    <Combobox.Item key={person.id} value={person} className={combobox.item}>
                      <PersonLabel person={person} />
                    </Combobox.Item>
                  )}
                </Combobox.List>
              </Combobox.Popup>
            </Combobox.Positioner>
          </Combobox.Portal>
        </Combobox.Root>
      )}
    </Field>
  );
}

/** Two people may have the same name, so the address is part of it. */
function nameOf(person: PickedPerson): string {
  const name = personName(person);
  return name === '' ? person.email : `${name} (${person.email})`;
}
