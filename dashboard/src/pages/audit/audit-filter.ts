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

export type AuditFilterName = keyof AuditFilter;

export const auditFilterLabels: Readonly<Record<AuditFilterName, string>> = {
  actor: 'Actor',
  kind: 'Event',
  workspace: 'Workspace',
  preset: 'Preset',
  since: 'From',
  until: 'To',
};

/** In the order of the menu and of the chips. */
export const auditFilterNames = Object.keys(auditFilterLabels) as readonly AuditFilterName[];

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

/**
 * Whose presets can be filtered by: those of the chosen workspace, or else of the one that is open.
 * Undefined for a deleted one, whose presets cannot be listed any more.
 */
export function workspaceOfPresets<Workspace extends Pick<WorkspaceAccess, 'slug'>>(
  { workspace }: AuditFilter,
  workspaces: readonly Workspace[],
  open: Workspace | undefined,
): Workspace | undefined {
  return workspace === '' ? (open ?? workspaces[0]) : workspaces.find(({ slug }) => slug === workspace);
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
