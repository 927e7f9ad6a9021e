import type { Role } from '../../../../src/core/organization.ts';
import { ChoiceField } from '../../parts/choice-field.tsx';
import { TextField } from '../../parts/text-field.tsx';
import styles from '../organization.module.css';

export interface MemberDetails {
  readonly first_name: string;
  readonly last_name: string;
  readonly role: Role;
}

interface MemberFieldsProps {
  readonly details: MemberDetails;
  readonly onChange: (details: MemberDetails) => void;
  /** The dialog has nothing to type in before these. */
  readonly isFirst?: boolean;
}

/** What can be changed of a member. */
export function MemberFields({ details, onChange, isFirst = false }: MemberFieldsProps) {
  return (
    <>
      <div className={styles.pair}>
        <TextField
          label="First name"
          value={details.first_name}
          onChange={(first_name) => onChange({ ...details, first_name })}
          maxLength={200}
          isFirst={isFirst}
        />
        <TextField
          label="Last name"
          value={details.last_name}
          onChange={(last_name) => onChange({ ...details, last_name })}
          maxLength={200}
        />
      </div>
      <ChoiceField
        label="Role"
        value={details.role}
        onChange={(role) => onChange({ ...details, role })}
        choices={roleChoices}
      />
    </>
  );
}

const roleChoices = [
  {
    value: 'org:member',
    label: 'org:member',
    hint: 'Sees the organization, manages keys of their own, and changes presets in the default workspace and in those they belong to.',
  },
  {
    value: 'org:admin',
    label: 'org:admin',
    hint: 'Changes everything: members, workspaces, keys and presets.',
  },
] as const;
