import { type EventKind, eventKinds } from '../presets/preset-event.ts';

/**
 * The kinds of audit events. They are stored and part of the API, so a kind is never renamed. The
 * part before the dot is the group.
 */
export const organizationEventKinds = [
  'key.created',
  'key.renamed',
  'key.disabled',
  'key.enabled',
  'key.expiry_changed',
  'key.moved',
  'key.rotated',
  'key.deleted',
  'workspace.created',
  'workspace.renamed',
  'workspace.slug_changed',
  'workspace.described',
  'workspace.deleted',
  'workspace.member_added',
  'workspace.member_removed',
  'workspace.member_role_changed',
  'member.added',
  'member.renamed',
  'member.role_changed',
  'member.email_changed',
  'member.deactivated',
  'member.reactivated',
  'member.provisioned',
  'member.removed',
  'account.signed_in',
  'account.sign_in_failed',
  'account.password_set',
  'account.sessions_ended',
  'account.link_created',
  'account.identity_linked',
  'account.command_line_denied',
  'group.created',
  'group.renamed',
  'group.member_added',
  'group.member_removed',
  'group.deleted',
] as const;

export type OrganizationEventKind = (typeof organizationEventKinds)[number];

export type AuditKind = EventKind | OrganizationEventKind;

export const auditKinds: readonly AuditKind[] = [...eventKinds, ...organizationEventKinds];

/** `preset`, `key`, `workspace`, `member`, `account` and `group`. */
export const auditGroups: readonly string[] = [...new Set(auditKinds.map(groupOf))];

/** Expands a group to its kinds, and a kind to itself; undefined for any other text. */
export function auditKindsOf(kindOrGroup: string): readonly AuditKind[] | undefined {
  const found = auditKinds.filter((kind) => kind === kindOrGroup || groupOf(kind) === kindOrGroup);
  return found.length > 0 ? found : undefined;
}

function groupOf(kind: AuditKind): string {
  return kind.slice(0, kind.indexOf('.'));
}

/** The cursor of `readAudit`: a time and an event id. For the OpenAPI document. */
export const auditCursorPattern =
  '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z_[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$';
