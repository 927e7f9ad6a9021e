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

/** A page of all members. */
export function MemberList({ actions }: { readonly actions?: MemberActions }) {
  const { offset, change } = useSearchValues();
  const { data, error, isPlaceholderData, refetch } = useMembers({ offset, limit });
  const goTo = (next: number) => change({ offset: next === 0 ? '' : String(next) });
  if (error)
    return (
      <div className={styles.inset}>
        <ErrorNotice error={error} title="The members could not be read." retry={() => void refetch()} />
      </div>
    );
  if (data === undefined) return <Loading lines={8} label="Loading members" />;
  if (data.data.length === 0)
    return (
      <Empty title="Nobody on this page">
        <Button onClick={() => goTo(0)}>To the first page</Button>
      </Empty>
    );
  return (
    <>
      <MemberTable members={data.data} isStale={isPlaceholderData} {...(actions && { actions })} />
      <Pager offset={offset} limit={limit} totalCount={data.total_count} one="member" onChange={goTo} />
    </>
  );
}
