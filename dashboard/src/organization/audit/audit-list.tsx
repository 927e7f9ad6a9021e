import type { AuditEvent } from '../../../../src/client/organization-answers.ts';
import { classNames } from '../../ui/class-names.ts';
import { AuditItem } from './audit-item.tsx';
import styles from './audit-list.module.css';

interface AuditListProps {
  readonly events: readonly AuditEvent[];
  readonly isStale: boolean;
  readonly hasWorkspaces: boolean;
}

export function AuditList({ events, isStale, hasWorkspaces }: AuditListProps) {
  return (
    <ol
      className={classNames(styles.list, hasWorkspaces && styles.withWorkspaces, isStale && styles.stale)}
      aria-label="Events"
      aria-busy={isStale}
    >
      {events.map((event) => (
        <AuditItem key={event.id} event={event} hasWorkspace={hasWorkspaces} />
      ))}
    </ol>
  );
}
