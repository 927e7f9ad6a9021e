import type { Issue } from '../../../../src/core/errors.ts';
import { Notice } from '../../components/notice.tsx';
import { fieldPath } from '../request/field-path.ts';

/** More do not help to decide. */
const shownMax = 5;

/** Names what upstreams are likely to reject, before somebody saves it. */
export function UpstreamIssueNotice({ issues }: { readonly issues: readonly Issue[] }) {
  const more = issues.length - shownMax;
  return (
    <Notice kind="warning" title="Upstreams are likely to reject this">
      <ul className="stack-1">
        {issues.slice(0, shownMax).map(({ path, message }) => (
          <li key={path}>
            <code>{fieldPath(path)}</code> {message}
          </li>
        ))}
        {more > 0 && <li>and {more} more</li>}
      </ul>
    </Notice>
  );
}
