import { isMemberCountExact } from '../../../../src/client/member-count.ts';
import { useMembers } from '../../api/organization.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Pager } from '../../ui/pager.tsx';
import { useUrlParams } from '../../ui/use-url-params.ts';
import styles from '../organization.module.css';
import { type MemberActions, MemberTable } from './member-table.tsx';

const limit = 50;

/** One page of members, filtered by the search in the URL. */
export function MemberList({ actions }: { readonly actions?: MemberActions }) {
  const { value, offset, change } = useUrlParams();
  const q = value('q');
  const { data, error, isPlaceholderData, refetch } = useMembers({ q, offset, limit });
  const goTo = (next: number) => change({ offset: next === 0 ? '' : String(next) });
  if (error)
    return (
      <div className={styles.inset}>
        <ErrorNotice error={error} title="Could not load the members" retry={() => void refetch()} />
      </div>
    );
  if (data === undefined) return <Loading lines={8} label="Loading members" />;
  // Nothing matches the search. Without a search there is always at least the user.
  if (data.total_count === 0)
    return (
      <EmptyState title="No matching members">
        <Button onClick={() => change({ q: '', offset: '' })}>Show all members</Button>
      </EmptyState>
    );
  if (data.data.length === 0)
    return (
      <EmptyState title="This page no longer exists">
        <Button onClick={() => goTo(0)}>Go to first page</Button>
      </EmptyState>
    );
  return (
    <>
      <MemberTable members={data.data} isStale={isPlaceholderData} {...(actions && { actions })} />
      <Pager
        offset={offset}
        limit={limit}
        totalCount={data.total_count}
        isTotalExact={isMemberCountExact(data, offset, q)}
        one="member"
        onChange={goTo}
      />
    </>
  );
}
