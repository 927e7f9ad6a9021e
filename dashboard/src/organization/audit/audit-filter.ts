import { auditKinds } from '../../../../src/core/audit-kinds.ts';
import { endOfDay, startOfDay } from '../days.ts';

/** As it stands in the address: days are those of the person who looks. */
export interface AuditFilter {
  readonly actor: string;
  readonly kind: string;
  readonly since: string;
  readonly until: string;
}

/** What is asked of the server: from the first moment of one day to the last of another. What cannot be is left out. */
export function auditQuery({ actor, kind, since, until }: AuditFilter) {
  return {
    actor: actor === '' ? undefined : actor,
    kind: kindOptions.some(([value]) => value === kind) && kind !== '' ? kind : undefined,
    since: startOfDay(since)?.toISOString(),
    until: endOfDay(until)?.toISOString(),
  };
}

const groupTitles: Readonly<Record<string, string>> = {
  preset: 'Presets',
  key: 'Keys',
  workspace: 'Workspaces',
  member: 'Members',
};

/** Value and text: everything, then each group followed by its kinds. */
export const kindOptions: readonly (readonly [value: string, text: string])[] = [
  ['', 'Everything'],
  ...Object.entries(groupTitles).flatMap(([group, title]) => [
    [group, `${title}: all`] as const,
    ...auditKinds
      .filter((kind) => kind.startsWith(`${group}.`))
      .map((kind) => [kind, `${title}: ${kind.slice(group.length + 1).replaceAll('_', ' ')}`] as const),
  ]),
];
