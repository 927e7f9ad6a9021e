import { invalidRequest, PresetdError } from '../errors.ts';
import { roleIn } from '../organization/assert-may.ts';
import type { Caller } from '../organization/caller.ts';
import { isAdmin, requireManagement } from '../organization/organization-access.ts';
import { isUuid } from '../organization/workspace.ts';
import { unknownWorkspace } from '../organization/workspace-access.ts';
import { isSlug, slugRule } from '../preset-slug.ts';
import { unknownPreset } from '../presets/preset-access.ts';
import { isStorableText } from '../request-issues.ts';
import { auditGroups, auditKinds, auditKindsOf } from './audit-kinds.ts';
import type { AuditEvent, AuditFilter, AuditStore } from './audit-storage.ts';

export interface AuditQuery {
  /** An id or an email address. */
  readonly actor?: string | undefined;
  /** A kind such as `key.created`, or a group such as `key`. */
  readonly kind?: string | undefined;
  /** An id or a slug. */
  readonly workspace?: string | undefined;
  /** A slug. Requires a workspace, because slugs are unique only within one. */
  readonly preset?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
  readonly limit: number;
}

interface AuditPage {
  readonly events: readonly AuditEvent[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

/**
 * Lists the audit events of the caller's organization, newest first. A member reads those of one
 * workspace in which they have a role. An unknown actor has no events; an unknown workspace or
 * preset is `not_found`.
 */
export async function readAudit(audit: AuditStore, caller: Caller, query: AuditQuery): Promise<AuditPage> {
  const { organizationId } = requireManagement(caller, 'Reading the audit log');
  const kinds = query.kind === undefined ? undefined : auditKindsOf(query.kind);
  if (query.kind !== undefined && kinds === undefined)
    throw invalid('/kind', `must be one of ${[...auditGroups, ...auditKinds].join(', ')}`);
  const after = query.cursor === undefined ? undefined : parseCursor(query.cursor);
  const scope = await findScope(audit, caller, organizationId, query);
  const { actor, since, until, limit } = query;
  const actorId = actor === undefined || !isStorableText(actor) ? undefined : await audit.findActor(actor);
  if (actor !== undefined && actorId === undefined) return { events: [], nextCursor: null };
  const filter: AuditFilter = { ...scope, actorId, kinds, since, until, after };
  // One extra event shows whether there is another page.
  const found = await audit.list(organizationId, filter, limit + 1);
  const events = found.slice(0, limit);
  const last = events.at(-1);
  return { events, nextCursor: last !== undefined && found.length > limit ? cursorOf(last) : null };
}

/** Resolves the workspace and preset filters. Those of other organizations count as missing. */
async function findScope(
  audit: AuditStore,
  caller: Caller,
  organizationId: string,
  { workspace, preset }: AuditQuery,
): Promise<Pick<AuditFilter, 'workspaceId' | 'presetId'>> {
  if (preset !== undefined && workspace === undefined)
    throw invalid(
      '/preset',
      'requires a workspace, because several workspaces can have a preset with the same slug',
    );
  if (workspace === undefined) {
    if (isAdmin(caller)) return {};
    throw new PresetdError(
      'forbidden',
      'Only an org:admin can read the audit log of all workspaces. Name one of yours in "workspace".',
    );
  }
  const workspaceId = isStorableText(workspace)
    ? await audit.findWorkspace(organizationId, workspace)
    : undefined;
  // An org:admin also reads what happened in deleted workspaces, in which nobody has a role.
  if (workspaceId === undefined || roleIn(caller, workspaceId) === undefined)
    throw unknownWorkspace(workspace);
  if (preset === undefined) return { workspaceId };
  if (!isSlug(preset)) throw invalid('/preset', slugRule);
  const presetId = await audit.findPreset(workspaceId, preset);
  if (presetId === undefined) throw unknownPreset(preset);
  return { presetId };
}

function cursorOf({ createdAt, id }: AuditEvent): string {
  return `${createdAt}_${id}`;
}

function parseCursor(cursor: string): { createdAt: string; id: string } {
  const [createdAt = '', id = '', ...rest] = cursor.split('_');
  if (isTimestamp(createdAt) && isUuid(id) && rest.length === 0) return { createdAt, id: id.toLowerCase() };
  throw invalid('/cursor', 'must be the next_cursor of a previous response');
}

/** Accepts only our own format and real dates: PostgreSQL rejects February 30 and the year 0. */
function isTimestamp(text: string): boolean {
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString() === text && /^(?!0000)\d{4}-/.test(text);
}

function invalid(path: string, message: string): PresetdError {
  return invalidRequest(`The request is not valid: ${path} ${message}.`, path, message);
}
