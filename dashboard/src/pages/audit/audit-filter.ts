import type { WorkspaceAccess } from '../../../../src/api/account.ts';
import { type AuditGroup, type AuditKind, auditKinds } from '../../../../src/core/audit/audit-kinds.ts';
import { endOfDay, startOfDay } from '../../components/time.tsx';

/** The filters as they are in the URL. Days are in the user's time zone. */
export interface AuditFilter {
  readonly actor: string;
  readonly kind: string;
  /** A slug, or the ID of a deleted workspace. */
  readonly workspace: string;
  /** A slug. */
  readonly preset: string;
  readonly since: string;
  readonly until: string;
}

/** Also the values that "Clear filters" sets. */
export const noFilter: AuditFilter = {
  actor: '',
  kind: '',
  workspace: '',
  preset: '',
  since: '',
  until: '',
};

/**
 * The query for the API. Days become instants: from the start of the first to the end of the last.
 * Invalid values are dropped.
 */
export function auditQuery({ actor, kind, workspace, preset, since, until }: AuditFilter) {
  return {
    actor: actor === '' ? undefined : actor,
    kind: kindOptions.some(([value]) => value === kind) && kind !== '' ? kind : undefined,
    workspace: workspace === '' ? undefined : workspace,
    // Without a workspace, a slug may refer to several presets.
    preset: workspace === '' || preset === '' ? undefined : preset,
    since: startOfDay(since)?.toISOString(),
    until: endOfDay(until)?.toISOString(),
  };
}

/** With a single workspace, users need not select it to filter by preset. */
export function withOnlyWorkspace(
  filter: AuditFilter,
  workspaces: readonly Pick<WorkspaceAccess, 'slug'>[],
): AuditFilter {
  const [only, ...others] = workspaces;
  if (only === undefined || others.length > 0 || filter.workspace !== '' || filter.preset === '')
    return filter;
  return { ...filter, workspace: only.slug };
}

const groupTitles: Readonly<Record<AuditGroup, string>> = {
  preset: 'Presets',
  key: 'Keys',
  workspace: 'Workspaces',
  member: 'Members',
  account: 'Accounts',
  group: 'Groups',
  usage: 'Usage',
};

/** Pairs of value and text: everything, then each group followed by its kinds. */
export const kindOptions: readonly (readonly [value: string, text: string])[] = [
  ['', 'All events'],
  ...Object.entries(groupTitles).flatMap(([group, title]) => [
    [group, `${title}: all`] as const,
    ...auditKinds
      .filter((kind) => kind.startsWith(`${group}.`))
      .map((kind) => [kind, `${title}: ${kindText(kind)}`] as const),
  ]),
];

function kindText(kind: AuditKind): string {
  if (kind === 'preset.designated') return 'live version changed';
  return kind.slice(kind.indexOf('.') + 1).replaceAll('_', ' ');
}
