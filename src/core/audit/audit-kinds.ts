import {
  type OrganizationEventKind,
  organizationEventKinds,
} from '../organization/organization-event-kinds.ts';
import { type EventKind, eventKinds } from '../presets/preset-event.ts';

/**
 * The kinds of audit events. They are stored and part of the API, so a kind is never renamed. The
 * part before the dot is the group.
 */
export type AuditKind = EventKind | OrganizationEventKind;

export const auditKinds: readonly AuditKind[] = [...eventKinds, ...organizationEventKinds];

export type AuditGroup = AuditKind extends `${infer Group}.${string}` ? Group : never;

/** `preset`, `key`, `workspace`, `member`, `account`, `group` and `usage`. */
export const auditGroups: readonly AuditGroup[] = [...new Set(auditKinds.map(groupOf))];

/** Expands a group to its kinds, and a kind to itself; undefined for any other text. */
export function auditKindsOf(kindOrGroup: string): readonly AuditKind[] | undefined {
  const found = auditKinds.filter((kind) => kind === kindOrGroup || groupOf(kind) === kindOrGroup);
  return found.length > 0 ? found : undefined;
}

function groupOf(kind: AuditKind): AuditGroup {
  return kind.slice(0, kind.indexOf('.')) as AuditGroup;
}

/** The cursor of `readAudit`: a time and an event id. For the OpenAPI document. */
export const auditCursorPattern =
  '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z_[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$';
