import type { FastifyInstance } from 'fastify';
import { type AuditEvent as AuditEventOnWire, auditOperations } from '../../api/audit.ts';
import { toUtc } from '../../api/schema-parts.ts';
import type { AuditEvent, AuditStore } from '../../core/audit/audit-storage.ts';
import { readAudit } from '../../core/audit/read-audit.ts';
import { callerOf } from '../authentication.ts';
import { serveOperations } from '../serve-operations.ts';

export function auditRoutes(scope: FastifyInstance, audit: AuditStore): void {
  serveOperations(scope, auditOperations, {
    'GET /audit': async (request) => {
      const { since, until, limit = 50, ...filters } = request.query;
      const { events, nextCursor } = await readAudit(audit, callerOf(request), {
        ...filters,
        // Stored times are UTC text, so filters must be, too.
        since: since && toUtc(since),
        until: until && toUtc(until),
        limit,
      });
      return { data: events.map(toWire), next_cursor: nextCursor };
    },
  });
}

function toWire(event: AuditEvent): AuditEventOnWire {
  return {
    id: event.id,
    kind: event.kind,
    created_at: event.createdAt,
    actor_id: event.actorId,
    actor_email: event.actorEmail,
    key_label: event.keyLabel,
    workspace_id: event.workspaceId,
    workspace_slug: event.workspaceSlug,
    workspace_name: event.workspaceName,
    subject_id: event.subject.id,
    subject: event.subject.name,
    before: event.before,
    after: event.after,
  };
}
