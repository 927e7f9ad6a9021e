import type { WorkspaceRole } from '../core/organization/workspace-role.ts';

/**
 * The people of Fernhill, a shop for plants and garden tools that does not exist. Their addresses
 * are under example.com, which nobody can own, so no identity provider can sign any of them in.
 */

const domain = 'fernhill.example.com';

const names = {
  maya: ['Maya', 'Brooks'],
  jonas: ['Jonas', 'Berg'],
  priya: ['Priya', 'Sharma'],
  tom: ['Tom', 'Whitfield'],
  aiko: ['Aiko', 'Tanaka'],
  ben: ['Ben', 'Carter'],
  lena: ['Lena', 'Fischer'],
  samira: ['Samira', 'Haddad'],
  noah: ['Noah', 'Castro'],
  ines: ['Ines', 'Duarte'],
  kofi: ['Kofi', 'Mensah'],
  olga: ['Olga', 'Petrova'],
  ravi: ['Ravi', 'Patel'],
  claire: ['Claire', 'Fontaine'],
  dana: ['Dana', 'Moore'],
  hugo: ['Hugo', 'Marin'],
} as const satisfies Readonly<Record<string, readonly [first: string, last: string]>>;

export type PersonId = keyof typeof names;

interface DemoPerson {
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
}

export const people: ReadonlyMap<PersonId, DemoPerson> = new Map(
  Object.entries(names).map(([id, [firstName, lastName]]) => [
    id as PersonId,
    { email: `${firstName}.${lastName}@${domain}`.toLowerCase(), firstName, lastName },
  ]),
);

/** The role of each person who belongs to a workspace. */
export type Team = Readonly<Partial<Record<PersonId, WorkspaceRole>>>;
