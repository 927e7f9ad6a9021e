import type { Role } from '../../../../src/core/organization/organization.ts';
import { RadioField } from '../../ui/radio-field.tsx';
import { TextField } from '../../ui/text-field.tsx';
import styles from '../organization.module.css';

export interface MemberDetails {
  readonly first_name: string;
  readonly last_name: string;
  readonly role: Role;
}

interface MemberFieldsProps {
  readonly details: MemberDetails;
  readonly onChange: (details: MemberDetails) => void;
  /** Whether these are the first fields of the dialog. */
  readonly focusOnMount?: boolean;
}

/** The fields of a member that can be changed. */
export function MemberFields({ details, onChange, focusOnMount = false }: MemberFieldsProps) {
  return (
    <>
      <div className={styles.pair}>
        <TextField
          label="First name"
          value={details.first_name}
          onChange={(first_name) => onChange({ ...details, first_name })}
          maxLength={200}
          focusOnMount={focusOnMount}
        />
        <TextField
          label="Last name"
          value={details.last_name}
          onChange={(last_name) => onChange({ ...details, last_name })}
          maxLength={200}
        />
      </div>
      <RadioField
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
    label: 'Member',
    hint: 'Views the organization, manages their own keys, and changes presets in the default workspace and the workspaces they belong to.',
  },
  {
    value: 'org:admin',
    label: 'Admin',
    hint: 'Manages all members, workspaces, keys and presets.',
  },
] as const;
