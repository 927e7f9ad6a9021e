import { Badge } from '../../components/badge.tsx';

/** For everybody whose calls are recorded. */
export function ContentLogBadge() {
  return (
    <span title="The requests and responses of calls are stored. Admins of the workspace can read them.">
      <Badge tone="warning">Content log on</Badge>
    </span>
  );
}
