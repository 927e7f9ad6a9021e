import type { Role } from '../../../../src/core/organization/organization.ts';
import { RadioField } from '../../components/fields.tsx';

interface RoleFieldProps {
  readonly role: Role;
  readonly onChange: (role: Role) => void;
}

/** The role in the organization. */
export function RoleField({ role, onChange }: RoleFieldProps) {
  return <RadioField label="Organization role" value={role} onChange={onChange} choices={choices} />;
}

const choices = [
  {
    value: 'org:member',
    label: 'Member',
    hint: 'Works in the workspaces below, and manages their own keys.',
  },
  {
    value: 'org:admin',
    label: 'Admin',
    hint: 'Manages all people, workspaces, keys and presets.',
  },
] as const;
