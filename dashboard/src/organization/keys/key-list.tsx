import type { Key } from '../../../../src/client/organization-answers.ts';
import { useKeys, useWorkspaceChoice } from '../../api/organization.ts';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { Loading } from '../../parts/loading.tsx';
import { useSearchValues } from '../../parts/use-search-values.ts';
import styles from '../organization.module.css';
import { type KeyAction, KeyTable } from './key-table.tsx';
import { OpenEndedPager } from './open-ended-pager.tsx';

/** As many as the server lists at once. */
const limit = 100;

interface KeyListProps {
  readonly onAction: (action: KeyAction, key: Key) => void;
}

export function KeyList({ onAction }: KeyListProps) {
  const { value, offset, change } = useSearchValues();
  const { data: workspaces = [] } = useWorkspaceChoice();
  const { data, error, isPlaceholderData, refetch } = useKeys({
    workspace_id: value('workspace') || undefined,
    include_disabled: value('disabled') !== '',
    offset,
  });
  const goTo = (next: number) => change({ offset: next === 0 ? '' : String(next) });
  if (error)
    return (
      <div className={styles.inset}>
        <ErrorNotice error={error} title="The keys could not be read." retry={() => void refetch()} />
      </div>
    );
  if (data === undefined) return <Loading lines={6} label="Loading keys" />;
  if (data.length === 0)
    return (
      <Empty title={offset === 0 ? 'No keys here' : 'No more keys'}>
        {offset === 0 ? (
          <p>Keys of this workspace would be listed here.</p>
        ) : (
          <Button onClick={() => goTo(0)}>To the first page</Button>
        )}
      </Empty>
    );
  return (
    <>
      <KeyTable keys={data} workspaces={workspaces} isStale={isPlaceholderData} onAction={onAction} />
      <OpenEndedPager offset={offset} limit={limit} count={data.length} one="key" onChange={goTo} />
    </>
  );
}
