import type { Workspace } from '../../../../src/client/organization-answers.ts';
import { auditKinds } from '../../../../src/core/audit-kinds.ts';
import { endOfDay, startOfDay } from '../days.ts';

/** As it stands in the address: days are those of the person who looks. */
export interface AuditFilter {
  readonly actor: string;
  readonly kind: string;
  /** A slug, or the id of a workspace that was deleted. */
  readonly workspace: string;
  /** A slug. */
  readonly preset: string;
  readonly since: string;
  readonly until: string;
}

export const noFilter: AuditFilter = {
  actor: '',
  kind: '',
  workspace: '',
  preset: '',
  since: '',
  until: '',
};

/** What is asked of the server: from the first moment of one day to the last of another. What cannot be is left out. */
export function auditQuery({ actor, kind, workspace, preset, since, until }: AuditFilter) {
  return {
    actor: actor === '' ? undefined : actor,
    kind: kindOptions.some(([value]) => value === kind) && kind !== '' ? kind : undefined,
    workspace: workspace === '' ? undefined : workspace,
    // Without its workspace, a slug may mean several presets.
    preset: workspace === '' || preset === '' ? undefined : preset,
    since: startOfDay(since)?.toISOString(),
    until: endOfDay(until)?.toISOString(),
  };
}

/** With a single workspace, users need not select it before a preset. */
export function inOnlyWorkspace(
  filter: AuditFilter,
  workspaces: readonly Pick<Workspace, 'slug'>[],
): AuditFilter {
  const [only, ...others] = workspaces;
  if (only === undefined || others.length > 0 || filter.workspace !== '' || filter.preset === '')
    return filter;
  return { ...filter, workspace: only.slug };
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
