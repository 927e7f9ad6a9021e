import { isMemberCountExact } from '../../../../src/client/member-count.ts';
import { useMembers } from '../../api/organization.ts';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Pager } from '../../parts/pager.tsx';
import { useSearchValues } from '../../parts/use-search-values.ts';
import styles from '../organization.module.css';
import { type MemberActions, MemberTable } from './member-table.tsx';

const limit = 50;

/** A page of all members, or of those that the address of the page searches for. */
export function MemberList({ actions }: { readonly actions?: MemberActions }) {
  const { value, offset, change } = useSearchValues();
  const q = value('q');
  const { data, error, isPlaceholderData, refetch } = useMembers({ q, offset, limit });
  const goTo = (next: number) => change({ offset: next === 0 ? '' : String(next) });
  if (error)
    return (
      <div className={styles.inset}>
        <ErrorNotice error={error} title="The members could not be read." retry={() => void refetch()} />
      </div>
    );
  if (data === undefined) return <Loading lines={8} label="Loading members" />;
  if (data.total_count === 0)
    return (
      <Empty title="No member matches">
        <Button onClick={() => change({ q: '', offset: '' })}>Show all members</Button>
      </Empty>
    );
  if (data.data.length === 0)
    return (
      <Empty title="Nobody on this page">
        <Button onClick={() => goTo(0)}>To the first page</Button>
      </Empty>
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
