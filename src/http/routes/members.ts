import type { FastifyInstance } from 'fastify';
import {
  type ImportedMember,
  type MemberEdit,
  type Member as MemberOnWire,
  memberOperations,
} from '../../api/members.ts';
import { pageOf } from '../../api/schema-parts.ts';
import type { MemberDetails, MemberImportResult } from '../../core/organization/member-change.ts';
import type { Members } from '../../core/organization/members.ts';
import type { Member } from '../../core/organization/organization.ts';
import { callerOf } from '../authentication.ts';
import { serveOperations } from '../serve-operations.ts';

/**
 * Removing a member disables their keys at once. The organization always keeps one org:admin, also
 * if several are demoted at the same time: changes of one organization run one after the other.
 */
export function memberRoutes(scope: FastifyInstance, members: Members): void {
  serveOperations(scope, memberOperations, {
    'GET /organization/members': async (request) => {
      const page = await members.list(callerOf(request), request.query.q, pageOf(request.query));
      return { data: page.members.map(toWire), total_count: page.totalCount };
    },
    'POST /organization/members': async (request) => {
      const { email } = request.body;
      const member = await members.add(callerOf(request), { email, ...detailsOf(request.body) });
      return { data: toWire(member) };
    },
    'POST /organization/members/import': async (request) => {
      const { members: entries, update_existing: updateExisting = false } = request.body;
      const people = entries.map(({ email, ...details }) => ({ email, ...detailsOf(details) }));
      const results = await members.import(callerOf(request), people, updateExisting);
      const count = (outcome: ImportedMember['outcome']) =>
        results.filter((each) => each.outcome === outcome).length;
      return {
        data: results.map(resultToWire),
        added_count: count('added'),
        updated_count: count('updated'),
      };
    },
    'GET /organization/members/:id': async (request) => ({
      data: toWire(await members.get(callerOf(request), request.params.id)),
    }),
    'PATCH /organization/members/:id': async (request) => {
      const { email } = request.body;
      const changes = { email, ...detailsOf(request.body) };
      return { data: toWire(await members.edit(callerOf(request), request.params.id, changes)) };
    },
    'DELETE /organization/members/:id': async (request) => {
      await members.remove(callerOf(request), request.params.id);
      return { deleted: true };
    },
  });
}

function detailsOf({ first_name, last_name, role }: MemberEdit): MemberDetails {
  return { firstName: first_name, lastName: last_name, role };
}

function toWire(member: Member): MemberOnWire {
  return {
    id: member.id,
    email: member.email,
    first_name: member.firstName,
    last_name: member.lastName,
    role: member.role,
  };
}

function resultToWire({ email, outcome, message }: MemberImportResult): ImportedMember {
  return { email, outcome, ...(message !== undefined && { message }) };
}
