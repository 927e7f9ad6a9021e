import { type AuditKind, auditCursorPattern, auditGroups, auditKinds } from '../core/audit/audit-kinds.ts';
import { Type } from '../core/type.ts';
import { eventValues } from './events.ts';
import { operations } from './operation.ts';
import {
  documentedPattern,
  named,
  nullable,
  pageQuery,
  ref,
  timestamp,
  timestampInput,
  uuid,
} from './schema-parts.ts';

/**
 * The audit log of the organization. It is paginated by cursor, not by offset: events are added at
 * the front all the time, and an offset would repeat some on the next page.
 */

export const AuditEvent = named(
  'AuditEvent',
  Type.Object(
    {
      id: uuid,
      kind: Type.Unsafe<AuditKind>({ type: 'string', enum: auditKinds }),
      created_at: timestamp,
      actor_id: Type.String({
        description:
          'The person who made the change; `operator` for commands on the database such as `presetd recover`, `anonymous` for a failed sign-in.',
      }),
      actor_email: nullable(Type.String()),
      key_label: nullable(
        Type.String({ description: 'The label of the key or session that made the change.' }),
      ),
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
          'At the time of the change: the slug of the preset or workspace, the label of the key, or the email address of the member.',
      }),
      before: eventValues,
      after: eventValues,
    },
    { additionalProperties: false, description: 'One change in the organization.' },
  ),
);

export type AuditEvent = Type.Static<typeof AuditEvent.schema>;

/**
 * Filters combine with AND. `maxLength` bounds lookups; an email address has at most 254
 * characters.
 */
const query = Type.Object({
  actor: Type.Optional(
    Type.String({
      maxLength: 300,
      description: 'Only changes made by this user, given as id or email address.',
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
  since: Type.Optional(timestampInput('Only events at or after this time.')),
  until: Type.Optional(timestampInput('Only events before this time.')),
  limit: pageQuery.properties.limit,
  cursor: Type.Optional(
    Type.String({
      maxLength: 100,
      ...documentedPattern(auditCursorPattern),
      description: 'The `next_cursor` of the previous page.',
    }),
  ),
});

export const auditOperations = operations({
  'GET /audit': {
    id: 'listAuditEvents',
    tag: 'Organization',
    access: 'member',
    accessFor: {
      'workspace-member': 'Listing those of any workspace but the default one',
      'org-admin': 'Listing those of the whole organization',
    },
    summary: 'List audit events',
    description: 'All changes to presets, keys, workspaces and members of the organization, newest first.',
    query,
    response: {
      description: 'A page of events.',
      body: Type.Object({
        data: Type.Array(ref(AuditEvent)),
        next_cursor: Type.Unsafe<string | null>({
          type: ['string', 'null'],
          description: 'Pass it as `cursor` to get the next page; null on the last page.',
        }),
      }),
    },
  },
});
