import type { Workspace, WorkspaceMember } from '../../api/workspaces.ts';
import type { Page } from '../../client/answers.ts';
import { renderKeyValueList } from '../key-value-list.ts';
import type { Paint } from '../paint.ts';
import { shortTime } from '../short-time.ts';
import { describePage, formatTable } from '../table.ts';

export function renderWorkspaces({ data, total_count }: Page<Workspace>, offset: number): string {
  const rows = data.map((workspace) => [
    workspace.slug,
    membersOf(workspace),
    shortTime(workspace.created_at),
    workspace.name,
    workspace.id,
  ]);
  return [
    formatTable(['SLUG', 'MEMBERS', 'CREATED', 'NAME', 'ID'], rows),
    describePage(offset, rows.length, total_count),
  ].join('\n');
}

/** `creator` is undefined if the server does not know who created the workspace. */
export function renderWorkspace(workspace: Workspace, creator: string | undefined, paint: Paint): string {
  return renderKeyValueList(
    workspace.slug,
    [
      ['name', workspace.name],
      ['description', workspace.description ?? ''],
      ['members', membersOf(workspace)],
      ['created', `${shortTime(workspace.created_at)}${creator === undefined ? '' : ` by ${creator}`}`],
      ['updated', workspace.updated_at === null ? '' : shortTime(workspace.updated_at)],
      ['id', workspace.id],
    ],
    paint,
  );
}

/** ROLE follows from the role in the organization: "admin" or "member", without "org:". */
export function renderWorkspaceMembers({ data, total_count }: Page<WorkspaceMember>, offset: number): string {
  const rows = data.map((member) => [
    member.email,
    member.role,
    shortTime(member.created_at),
    member.user_id,
  ]);
  return [
    formatTable(['EMAIL', 'ROLE', 'JOINED', 'ID'], rows),
    describePage(offset, rows.length, total_count),
  ].join('\n');
}

/** Everyone in the organization belongs to the default workspace. */
function membersOf({ member_count, is_default }: Workspace): string {
  return is_default ? `${member_count} (everyone)` : String(member_count);
}
