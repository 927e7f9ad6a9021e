import { useState } from 'react';
import { personName, useMembers } from '../../api/organization.ts';
import { ComboboxField } from '../../components/combobox.tsx';
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
  const { error: problem, others, placeholder = 'Search people', ...field } = props;
  const [typed, setTyped] = useState<string>();
  const wanted = (typed ?? '').trim();
  const { value: q } = useDebounced(wanted, debounceMs);
  const { data, error, isPlaceholderData } = useMembers({ q, offset: 0, limit: shownMax });
  // People found for an earlier text must not be there to be chosen with Enter.
  const isSearching = q !== wanted || data === undefined || isPlaceholderData;
  const found = isSearching ? [] : data.data;
  const offered = isSearching || (q !== '' && found.length > 0) ? found : [...found, ...(others?.(q) ?? [])];
  return (
    <ComboboxField<PickedPerson>
      {...field}
      {...{ problem, placeholder, error, typed }}
      items={offered}
      onTyped={setTyped}
      keyOf={({ id }) => id}
      textOf={nameOf}
      maxLength={254}
      isBusy={isSearching}
      empty={`No one matches “${wanted}”.`}
    >
      {(person) => <PersonLabel person={person} />}
    </ComboboxField>
  );
}

/** Two people may have the same name, so the address is part of it. */
function nameOf(person: PickedPerson): string {
  const name = personName(person);
  return name === '' ? person.email : `${name} (${person.email})`;
}
