import { useId } from 'react';
import { personName, useMembers } from '../../api/organization.ts';
import { TextField } from '../../components/fields.tsx';
import { useDebounced } from '../../components/use-debounced.ts';

interface MemberFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly error?: string | undefined;
  readonly hint?: string;
  readonly placeholder?: string;
}

const debounceMs = 180;

/**
 * Suggests members by part of their name or address. Accepts only a complete address, so that a
 * partial match never selects the wrong person.
 */
export function MemberField({ value, ...field }: MemberFieldProps) {
  const { value: q } = useDebounced(value.trim(), debounceMs);
  const { data: members } = useMembers({ q, offset: 0, limit: 20 });
  const listId = useId();
  return (
    <>
      <TextField {...field} value={value} type="email" list={listId} maxLength={254} autoComplete="off" />
      <datalist id={listId}>
        {members?.data.map((member) => (
          <option key={member.id} value={member.email} label={personName(member) || undefined} />
        ))}
      </datalist>
    </>
  );
}
