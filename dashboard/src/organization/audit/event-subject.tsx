import { Link } from 'wouter';
import type { AuditEvent } from '../../../../src/client/organization-answers.ts';
import { presetHref } from '../../preset/preset-links.ts';

/** The subject of an event, linked to its page if it still has one. */
export function EventSubject({ event }: { readonly event: AuditEvent }) {
  const href = subjectHref(event);
  if (href === undefined) return <span className="mono">{event.subject}</span>;
  return (
    <Link href={href} className="mono">
      {event.subject}
    </Link>
  );
}

/**
 * The page of an event's subject. Undefined if it is gone: keys and members that the event removed,
 * and everything in a deleted workspace.
 */
export function subjectHref(event: AuditEvent): string | undefined {
  const { kind, subject, subject_id, workspace_id } = event;
  if (isInDeletedWorkspace(event)) return undefined;
  switch (kind.slice(0, kind.indexOf('.'))) {
    case 'preset':
      return presetHref({ slug: subject, workspaceId: workspace_id ?? undefined });
    case 'key':
      if (kind === 'key.deleted') return undefined;
      return `/organization/keys?${new URLSearchParams({ ...(workspace_id && { workspace: workspace_id }), disabled: '1' })}`;
    case 'workspace':
      return `/organization/workspaces?${new URLSearchParams({ members: subject_id })}`;
    case 'member':
      if (kind === 'member.removed') return undefined;
      return `/organization/members?${new URLSearchParams({ q: subject })}`;
    default:
      return undefined;
  }
}

/** Events keep the ID of a deleted workspace, but the API returns no slug for it. */
export function isInDeletedWorkspace({ workspace_id, workspace_slug }: AuditEvent): boolean {
  return workspace_id !== null && workspace_slug === null;
}
