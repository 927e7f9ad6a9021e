import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { type AuditKind, auditGroups, auditKinds } from '../../core/audit-kinds.ts';
import type { AuditEvent } from '../../core/organization-event.ts';
import { cursorPattern, readAudit } from '../../core/read-audit.ts';
import type { AuditStore } from '../../core/storage.ts';
import { callerOf } from '../authentication.ts';
import { documentedPattern } from '../documented-pattern.ts';
import { errorResponses } from '../error-schema.ts';
import { pageQuery } from '../page-query.ts';
import { nullable, timestamp } from '../preset-response.ts';
import { timestampInput, toUtc } from '../timestamp-input.ts';
import { eventValues } from './preset-events.ts';

export function auditRoutes(scope: FastifyInstance, audit: AuditStore): void {
  scope.get<{ Querystring: Type.Static<typeof query> }>('/audit', { schema }, async (request) => {
    const { actor, kind, workspace, preset, since, until, cursor, limit = 50 } = request.query;
    const { events, nextCursor } = await readAudit(audit, callerOf(request), {
      actor,
      kind,
      workspace,
      preset,
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
      description: 'The owner of the key with which it was done; `operator` for `presetd recover`.',
    }),
    actor_email: nullable(Type.String()),
    key_label: nullable(Type.String({ description: 'Tells which key it was.' })),
    workspace_id: nullable(
      Type.String({ format: 'uuid', description: 'Null for what concerns no single workspace.' }),
    ),
    workspace_slug: nullable(
      Type.String({ description: 'The slug of the workspace now; null once it is deleted.' }),
    ),
    workspace_name: nullable(
      Type.String({ description: 'The name of the workspace now; once it is deleted, its last name.' }),
    ),
    subject_id: Type.String({ description: 'The id of the preset, key, workspace or member.' }),
    subject: Type.String({
      description:
        'The slug of a preset or a workspace, the label of a key, or the e-mail address of a member, as it was then.',
    }),
    before: eventValues,
    after: eventValues,
  },
  { additionalProperties: false, description: 'One change in the organization.' },
);

const query = Type.Object({
  actor: Type.Optional(
    Type.String({
      maxLength: 300,
      description: 'Only what this user did, given by their id or e-mail address.',
    }),
  ),
  kind: Type.Optional(
    Type.String({
      maxLength: 100,
      ...documentedPattern(`^(${[...auditGroups, ...auditKinds].join('|').replaceAll('.', '\\.')})$`),
      description: `Only events of this kind, or of a whole group: ${auditGroups.join(', ')}.`,
    }),
  ),
  workspace: Type.Optional(
    Type.String({
      maxLength: 300,
      description:
        'Only events of this workspace, given by its id or slug. A deleted one is found by its id.',
    }),
  ),
  preset: Type.Optional(
    Type.String({
      maxLength: 300,
      description: 'Only events of the preset with this slug. Needs `workspace`.',
    }),
  ),
  since: Type.Optional(
    Type.Unsafe<string>({ ...timestampInput, description: 'Only events from this time on.' }),
  ),
  until: Type.Optional(
    Type.Unsafe<string>({ ...timestampInput, description: 'Only events before this time.' }),
  ),
  limit: pageQuery.properties.limit,
  cursor: Type.Optional(
    Type.String({
      maxLength: 100,
      ...documentedPattern(cursorPattern),
      description: 'The `next_cursor` of the page before.',
    }),
  ),
});

const schema = {
  operationId: 'listAuditEvents',
  tags: ['Organization'],
  summary: 'List what was done in the organization, and by whom',
  description: 'Newest first: changes of presets, keys, workspaces and members.',
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
          description: 'Gets the next page; null when this is the last one.',
        },
      },
    },
    ...errorResponses(400, 401, 403, 404, 429, 500, 503),
  },
};
