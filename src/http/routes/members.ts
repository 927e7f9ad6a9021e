import type { FastifyInstance } from 'fastify';
import {
  ImportedMember,
  MemberEdit,
  Member as MemberOnWire,
  memberOperations,
  NewMember,
} from '../../api/members.ts';
import { pageOf } from '../../api/schema-parts.ts';
import type { Members } from '../../core/organization/members.ts';
import { callerOf } from '../authentication.ts';
import { serveOperations } from '../serve-operations.ts';
import { fromWireBy, toWireBy } from '../wire-fields.ts';

/**
 * Removing a member disables their keys at once. The organization always keeps one org:admin, also
 * if several are demoted at the same time: changes of one organization run one after the other.
 */
export function memberRoutes(scope: FastifyInstance, members: Members): void {
  serveOperations(scope, memberOperations, {
    'GET /organization/members': async (request) => {
      const page = await members.list(callerOf(request), request.query.q, pageOf(request.query));
      return { data: page.members.map((member) => toWire(member)), total_count: page.totalCount };
    },
    'POST /organization/members': async (request) => {
      const member = await members.add(callerOf(request), newMemberOf(request.body));
      return { data: toWire(member) };
    },
    'POST /organization/members/import': async (request) => {
      const { members: entries, update_existing: updateExisting = false } = request.body;
      const results = await members.import(callerOf(request), entries.map(newMemberOf), updateExisting);
      const count = (outcome: ImportedMember['outcome']) =>
        results.filter((each) => each.outcome === outcome).length;
      return {
        data: results.map((result) => resultToWire(result)),
        added_count: count('added'),
        updated_count: count('updated'),
      };
    },
    'GET /organization/members/:id': async (request) => ({
      data: toWire(await members.get(callerOf(request), request.params.id)),
    }),
    'PATCH /organization/members/:id': async (request) => {
      const changes = editOf(request.body);
      return { data: toWire(await members.edit(callerOf(request), request.params.id, changes)) };
    },
    'DELETE /organization/members/:id': async (request) => {
      await members.remove(callerOf(request), request.params.id);
      return { deleted: true };
    },
  });
}

const newMemberOf = fromWireBy(NewMember);
const editOf = fromWireBy(MemberEdit);
const toWire = toWireBy(MemberOnWire);
const resultToWire = toWireBy(ImportedMember);
