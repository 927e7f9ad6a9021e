import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  type Account as AccountOnWire,
  accountOperations,
  type Session as SessionOnWire,
  type WorkspaceAccess as WorkspaceAccessOnWire,
} from '../../api/account.ts';
import type { Session, WorkspaceAccess } from '../../core/accounts/account.ts';
import type { Account, Accounts } from '../../core/accounts/accounts.ts';
import { type Caller, sessionLabel } from '../../core/organization/caller.ts';
import { callerOf } from '../authentication.ts';
import { addressBucket } from '../protocol/client-address.ts';
import { serveOperations } from '../serve-operations.ts';
import { deleteSessionCookie } from '../session-cookie.ts';

/** A person's own account. `GET /account` is for keys too. */
export function accountRoutes(scope: FastifyInstance, accounts: Accounts): void {
  serveOperations(scope, accountOperations, {
    'GET /account': async (request) => {
      const caller = callerOf(request);
      return { data: accountToWire(await accounts.get(caller), caller) };
    },
    'PATCH /account': async (request) => {
      const caller = callerOf(request);
      const { first_name: firstName, last_name: lastName, email } = request.body;
      return { data: accountToWire(await accounts.edit(caller, { firstName, lastName, email }), caller) };
    },
    'PUT /account/password': async (request) => {
      const caller = callerOf(request);
      const { password, current_password: currentPassword } = request.body;
      const change = { password, currentPassword, network: addressBucket(request.ip) };
      return { data: accountToWire(await accounts.setPassword(caller, change), caller) };
    },
    'GET /account/sessions': async (request) => {
      const sessions = await accounts.sessions(callerOf(request));
      return { data: sessions.map((session) => sessionToWire(session, request)) };
    },
    'DELETE /account/sessions/:session_id': async (request) => {
      await accounts.endSession(callerOf(request), request.params.session_id);
      return { deleted: true };
    },
    'DELETE /account/sessions': async (request, reply) => {
      await accounts.endAllSessions(callerOf(request));
      deleteSessionCookie(request, reply, scope.publicUrl);
      return { deleted: true };
    },
  });
}

export function accountToWire(account: Account, caller: Caller): AccountOnWire {
  const { user, organization } = account;
  return {
    id: user.id,
    email: user.email,
    first_name: user.firstName,
    last_name: user.lastName,
    organization: organization && { id: organization.id, name: organization.name, role: organization.role },
    workspaces: account.workspaces.map(workspaceAccessToWire),
    has_password: user.hasPassword,
    can_set_password: account.canSetPassword,
    needs_current_password: account.needsCurrentPassword,
    credential: {
      kind: caller.kind,
      id: caller.id,
      label: caller.label,
      scope: caller.readOnly ? 'read' : caller.scope,
      method: caller.kind === 'session' ? caller.method : null,
      expires_at: caller.expiresAt,
    },
  };
}

export function workspaceAccessToWire(workspace: WorkspaceAccess): WorkspaceAccessOnWire {
  const { id, slug, name, isDefault, role, contentLog } = workspace;
  return { id, slug, name, is_default: isDefault, is_content_logged: contentLog.isEnabled, role };
}

export function sessionToWire(session: Session, request: FastifyRequest): SessionOnWire {
  return {
    id: session.id,
    label: sessionLabel(session.id),
    method: session.method,
    address: session.address,
    user_agent: session.userAgent,
    created_at: session.createdAt,
    last_used_at: session.lastUsedAt,
    expires_at: session.expiresAt,
    is_current: session.id === callerOf(request).id,
  };
}
