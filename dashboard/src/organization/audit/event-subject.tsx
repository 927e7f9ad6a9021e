import { Link } from 'wouter';
import type { AuditEvent } from '../../../../src/client/organization-answers.ts';
import { pathOf } from '../../api/api.ts';
import { useWorkspaceChoice } from '../../api/organization.ts';
import { useSession } from '../../session/session.tsx';

/** What an event is about. A preset leads to its page, in the workspace that it is in, as long as that is there. */
export function EventSubject({ event: { kind, subject, workspace_id } }: { readonly event: AuditEvent }) {
  const { chooseWorkspace } = useSession();
  const { data: workspaces = [] } = useWorkspaceChoice();
  const workspace = workspaces.find(({ id }) => id === workspace_id);
  if (!kind.startsWith('preset.') || workspace === undefined) return <span className="mono">{subject}</span>;
  return (
    <Link
      href={pathOf('presets', subject)}
      className="mono"
      onClick={() => chooseWorkspace(workspace.is_default ? undefined : workspace.id)}
    >
      {subject}
    </Link>
  );
}
