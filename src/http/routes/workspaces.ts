import type { FastifyInstance } from 'fastify';
import { pageOf } from '../../api/schema-parts.ts';
import {
  ContentLogEdit,
  ContentLog as ContentLogOnWire,
  NewWorkspace,
  WorkspaceEdit,
  WorkspaceMember as WorkspaceMemberOnWire,
  Workspace as WorkspaceOnWire,
  workspaceOperations,
} from '../../api/workspaces.ts';
import type { ContentLogSettings } from '../../core/content-log/content-log-settings.ts';
import { workspaceMembershipId } from '../../core/identifiers.ts';
import type { Workspace, WorkspaceMember } from '../../core/organization/workspace.ts';
import type { Workspaces } from '../../core/organization/workspaces.ts';
import { callerOf } from '../authentication.ts';
import { serveOperations } from '../serve-operations.ts';
import { fromWireBy, toWireBy } from '../wire-fields.ts';

/**
 * Deleting a workspace deletes its keys and frees its slug. Its presets stay in the database,
 * because versions are never deleted, but nothing can reach them. Membership decides where an
 * org:member can write presets and create keys.
 */
export function workspaceRoutes(scope: FastifyInstance, workspaces: Workspaces): void {
  serveOperations(scope, workspaceOperations, {
    'GET /workspaces': async (request) => {
      const found = await workspaces.list(callerOf(request), pageOf(request.query));
      return { data: found.workspaces.map(workspaceToWire), total_count: found.totalCount };
    },
    'POST /workspaces': async (request) => {
      const details = withContentLog(newWorkspaceOf(request.body));
      return { data: workspaceToWire(await workspaces.create(callerOf(request), details)) };
    },
    'GET /workspaces/:id': async (request) => ({
      data: workspaceToWire(await workspaces.get(callerOf(request), request.params.id)),
    }),
    'PATCH /workspaces/:id': async (request) => {
      const edit = withContentLog(editOf(request.body));
      return { data: workspaceToWire(await workspaces.edit(callerOf(request), request.params.id, edit)) };
    },
    'DELETE /workspaces/:id': async (request) => {
      await workspaces.delete(callerOf(request), request.params.id);
      return { deleted: true };
    },
    'GET /workspaces/:id/content-log': async (request) => ({
      data: contentLogToWire(await workspaces.contentLog(callerOf(request), request.params.id)),
    }),
    'PATCH /workspaces/:id/content-log': async (request) => {
      const { enabled: isEnabled, ...others } = contentLogEditOf(request.body);
      const contentLog = { isEnabled, ...others };
      const edited = await workspaces.edit(callerOf(request), request.params.id, { contentLog });
      return { data: contentLogToWire(edited.contentLog) };
    },
    'GET /workspaces/:id/members': async (request) => {
      const page = pageOf(request.query);
      const found = await workspaces.members(callerOf(request), request.params.id, page);
      return { data: found.members.map(memberToWire), total_count: found.totalCount };
    },
    'POST /workspaces/:id/members/add': async (request) => {
      const { user_ids: userIds, role = 'admin' } = request.body;
      const added = await workspaces.addMembers(callerOf(request), request.params.id, userIds, role);
      return { data: added.map(memberToWire), added_count: added.length };
    },
    'PATCH /workspaces/:id/members/:user_id': async (request) => {
      const { id, user_id: userId } = request.params;
      return {
        data: memberToWire(await workspaces.changeRole(callerOf(request), id, userId, request.body.role)),
      };
    },
    'POST /workspaces/:id/members/remove': async (request) => {
      const { user_ids: userIds } = request.body;
      const removed = await workspaces.removeMembers(callerOf(request), request.params.id, userIds);
      return { removed_count: removed.length };
    },
  });
}

const newWorkspaceOf = fromWireBy(NewWorkspace);
const editOf = fromWireBy(WorkspaceEdit);
const contentLogEditOf = fromWireBy(ContentLogEdit);
const toContentLog = toWireBy(ContentLogOnWire);
const toWorkspace = toWireBy(WorkspaceOnWire);
const toMember = toWireBy(WorkspaceMemberOnWire);

interface ContentLogSwitch {
  readonly isObservabilityIoLoggingEnabled?: boolean | null;
  readonly ioLoggingSamplingRate?: number | null;
}

/** OpenRouter's names of two settings of the content log. */
function withContentLog<Details extends ContentLogSwitch>({
  isObservabilityIoLoggingEnabled,
  ioLoggingSamplingRate,
  ...details
}: Details) {
  const isEnabled = isObservabilityIoLoggingEnabled ?? undefined;
  const samplingRate = ioLoggingSamplingRate ?? undefined;
  const isGiven = isEnabled !== undefined || samplingRate !== undefined;
  return { ...details, ...(isGiven && { contentLog: { isEnabled, samplingRate } }) };
}

function contentLogToWire(settings: ContentLogSettings): ContentLogOnWire {
  return toContentLog(settings, { enabled: settings.isEnabled });
}

/** OpenRouter's SDK requires a guardrail id; this one refers to nothing. */
const nilUuid = '00000000-0000-0000-0000-000000000000';

function workspaceToWire(workspace: Workspace): WorkspaceOnWire {
  return toWorkspace(workspace, {
    default_guardrail_id: nilUuid,
    default_text_model: null,
    default_image_model: null,
    default_provider_sort: null,
    is_observability_io_logging_enabled: workspace.contentLog.isEnabled,
    is_observability_broadcast_enabled: false,
    is_data_discount_logging_enabled: false,
    io_logging_sampling_rate: workspace.contentLog.samplingRate,
    io_logging_api_key_ids: null,
    disabled_server_tools: null,
    include_byok_in_budgets: false,
  });
}

function memberToWire(member: WorkspaceMember): WorkspaceMemberOnWire {
  return toMember(member, {
    id: workspaceMembershipId(member),
    // OpenRouter's names for the same two roles.
    role: member.role === 'org:admin' ? 'admin' : 'member',
  });
}
