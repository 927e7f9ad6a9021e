import type { Key } from '../../../../src/client/organization-answers.ts';
import { useKeys, useWorkspaceOptions } from '../../api/organization.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Loading } from '../../ui/loading.tsx';
import { useUrlParams } from '../../ui/use-url-params.ts';
import styles from '../organization.module.css';
import { type KeyAction, KeyTable } from './key-table.tsx';
import { OpenEndedPager } from './open-ended-pager.tsx';

/** The page size of the keys endpoint, which takes no limit. */
const limit = 100;

interface KeyListProps {
  readonly onAction: (action: KeyAction, key: Key) => void;
}

export function KeyList({ onAction }: KeyListProps) {
  const { value, offset, change } = useUrlParams();
  const { data: workspaces = [] } = useWorkspaceOptions();
  const { data, error, isPlaceholderData, refetch } = useKeys({
    workspace_id: value('workspace') || undefined,
    include_disabled: value('disabled') !== '',
    offset,
  });
  const goTo = (next: number) => change({ offset: next === 0 ? '' : String(next) });
  if (error)
    return (
      <div className={styles.inset}>
        <ErrorNotice error={error} title="Could not load the keys" retry={() => void refetch()} />
      </div>
    );
  if (data === undefined) return <Loading lines={6} label="Loading keys" />;
  if (data.length === 0)
    return (
      <EmptyState title={offset === 0 ? 'No keys' : 'This page no longer exists'}>
        {offset === 0 ? (
          <p>This workspace has no keys, or only disabled ones.</p>
        ) : (
          <Button onClick={() => goTo(0)}>Go to first page</Button>
        )}
      </EmptyState>
    );
  return (
    <>
      <KeyTable keys={data} workspaces={workspaces} isStale={isPlaceholderData} onAction={onAction} />
      <OpenEndedPager offset={offset} limit={limit} count={data.length} one="key" onChange={goTo} />
    </>
  );
}
