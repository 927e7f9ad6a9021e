import type { FastifyInstance, FastifyRequest } from 'fastify';
import { NewInvitation, Person as PersonOnWire, peopleOperations } from '../../api/people.ts';
import { pageOf } from '../../api/schema-parts.ts';
import type { People, VisiblePerson } from '../../core/accounts/people.ts';
import { linkUrl, type NewLink } from '../../core/accounts/sign-in-link.ts';
import { callerOf } from '../authentication.ts';
import { ownOrigin } from '../protocol/own-origin.ts';
import { serveOperations } from '../serve-operations.ts';
import { fromWireBy, toWireBy } from '../wire-fields.ts';
import { sessionToWire, workspaceAccessToWire } from './account.ts';

/** Links are returned once and never sent: admins pass them on by whatever means they like. */
export function peopleRoutes(scope: FastifyInstance, people: People): void {
  const linkToWire = ({ token, expiresAt }: NewLink, request: FastifyRequest) => ({
    url: linkUrl(ownOrigin(request, scope.publicUrl), token),
    expires_at: expiresAt,
  });
  serveOperations(scope, peopleOperations, {
    'GET /organization/people': async (request) => {
      const found = await people.list(callerOf(request), request.query.q, pageOf(request.query));
      return { data: found.people.map(personToWire), total_count: found.totalCount };
    },
    'GET /organization/people/:id': async (request) => ({
      data: personToWire(await people.get(callerOf(request), request.params.id)),
    }),
    'POST /organization/invitations': async (request) => {
      const { workspaces = [], ...person } = invitationOf(request.body);
      const roles = workspaces.map(({ id, role }) => ({ idOrSlug: id, role }));
      const invited = await people.invite(callerOf(request), person, roles);
      return { data: personToWire(invited.person), ...linkToWire(invited, request) };
    },
    'POST /organization/people/:id/sign-in-link': async (request) => {
      const link = await people.createLink(callerOf(request), request.params.id);
      return { data: linkToWire(link, request) };
    },
    'POST /organization/people/:id/deactivate': async (request) => ({
      data: personToWire(await people.deactivate(callerOf(request), request.params.id)),
    }),
    'POST /organization/people/:id/reactivate': async (request) => ({
      data: personToWire(await people.reactivate(callerOf(request), request.params.id)),
    }),
    'GET /organization/people/:id/sessions': async (request) => {
      const sessions = await people.sessions(callerOf(request), request.params.id);
      return { data: sessions.map((session) => sessionToWire(session, request)) };
    },
    'DELETE /organization/people/:id/sessions': async (request) => {
      await people.endSessions(callerOf(request), request.params.id);
      return { deleted: true };
    },
    'DELETE /organization/people/:id/sessions/:session_id': async (request) => {
      const { id, session_id: sessionId } = request.params;
      await people.endSession(callerOf(request), id, sessionId);
      return { deleted: true };
    },
  });
}

const invitationOf = fromWireBy(NewInvitation);
const toPerson = toWireBy(PersonOnWire);

function personToWire(person: VisiblePerson): PersonOnWire {
  return toPerson(person, { workspaces: person.workspaces.map(workspaceAccessToWire) });
}
