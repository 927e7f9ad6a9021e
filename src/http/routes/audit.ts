import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { documentedPattern } from '../../api/documented-pattern.ts';
import { errorResponses } from '../../api/errors.ts';
import { pageQuery } from '../../api/page-query.ts';
import { nullable, timestamp } from '../../api/schema-parts.ts';
import { timestampInput, toUtc } from '../../api/timestamp-input.ts';
import { type AuditKind, auditGroups, auditKinds } from '../../core/organization/audit-kinds.ts';
import type { AuditEvent } from '../../core/organization/organization-event.ts';
import { cursorPattern, readAudit } from '../../core/organization/read-audit.ts';
import type { AuditStore } from '../../core/storage.ts';
import { callerOf } from '../authentication.ts';
import { eventValues } from './preset-events.ts';

/**
 * The audit log of the organization, for management keys. It is paginated by cursor, not by offset:
 * events are added at the front all the time, and an offset would repeat some on the next page.
 */
export function auditRoutes(scope: FastifyInstance, audit: AuditStore): void {
  scope.get<{ Querystring: Type.Static<typeof query> }>('/audit', { schema }, async (request) => {
    const { actor, kind, workspace, preset, since, until, cursor, limit = 50 } = request.query;
    const { events, nextCursor } = await readAudit(audit, callerOf(request), {
      actor,
      kind,
      workspace,
      preset,
      // Stored times are UTC text, so filters must be, too.
      since: since && toUtc(since),
      until: until && toUtc(until),
      cursor,
      limit,
    });
    return { data: events.map(toWire), next_cursor: nextCursor };
  });
}

function toWire(event: AuditEvent): Type.Static<typeof auditEventSchema> {
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

export const auditEventSchema = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    kind: Type.Unsafe<AuditKind>({ type: 'string', enum: auditKinds }),
    created_at: timestamp,
    actor_id: Type.String({
      description: 'The owner of the key that made the change; `operator` for `presetd recover`.',
    }),
    actor_email: nullable(Type.String()),
    key_label: nullable(Type.String({ description: 'The label of the key that made the change.' })),
    workspace_id: nullable(
      Type.String({ format: 'uuid', description: 'Null if the change concerns no single workspace.' }),
    ),
    workspace_slug: nullable(
      Type.String({ description: 'The current slug of the workspace; null if it has been deleted.' }),
    ),
    workspace_name: nullable(
      Type.String({
        description: 'The current name of the workspace, or the last one if it has been deleted.',
      }),
    ),
    subject_id: Type.String({ description: 'The id of the changed preset, key, workspace or member.' }),
    subject: Type.String({
      description:
        'At the time of the change: the slug of the preset or workspace, the label of the key, or the e-mail address of the member.',
    }),
    before: eventValues,
    after: eventValues,
  },
  { additionalProperties: false, description: 'One change in the organization.' },
);

/**
 * Filters combine with AND. `maxLength` bounds lookups; an e-mail address has at most 254
 * characters.
 */
const query = Type.Object({
  actor: Type.Optional(
    Type.String({
      maxLength: 300,
      description: 'Only changes made by this user, given as id or e-mail address.',
    }),
  ),
  kind: Type.Optional(
    Type.String({
      maxLength: 100,
      // Documented only: the core lists the allowed kinds in its error.
      ...documentedPattern(`^(${[...auditGroups, ...auditKinds].join('|').replaceAll('.', '\\.')})$`),
      description: `Only events of this kind, or of a group of kinds: ${auditGroups.join(', ')}.`,
    }),
  ),
  workspace: Type.Optional(
    Type.String({
      maxLength: 300,
      description: 'Only events of this workspace, given as id or slug. For a deleted workspace, use the id.',
    }),
  ),
  preset: Type.Optional(
    Type.String({
      maxLength: 300,
      description: 'Only events of the preset with this slug. Requires `workspace`.',
    }),
  ),
  since: Type.Optional(
    Type.Unsafe<string>({ ...timestampInput, description: 'Only events at or after this time.' }),
  ),
  until: Type.Optional(
    Type.Unsafe<string>({ ...timestampInput, description: 'Only events before this time.' }),
  ),
  limit: pageQuery.properties.limit,
  cursor: Type.Optional(
    Type.String({
      maxLength: 100,
      ...documentedPattern(cursorPattern),
      description: 'The `next_cursor` of the previous page.',
    }),
  ),
});

const schema = {
  operationId: 'listAuditEvents',
  tags: ['Organization'],
  summary: 'List audit events',
  description: 'All changes to presets, keys, workspaces and members of the organization, newest first.',
  querystring: query,
  response: {
    200: {
      description: 'A page of events.',
      type: 'object',
      required: ['data', 'next_cursor'],
      properties: {
        data: { type: 'array', items: { $ref: 'AuditEvent#' } },
        next_cursor: {
          type: ['string', 'null'],
          description: 'Pass it as `cursor` to get the next page; null on the last page.',
        },
      },
    },
    ...errorResponses(400, 401, 403, 404, 429, 500, 503),
  },
};
