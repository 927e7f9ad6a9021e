import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { isStatus } from '../api/api-error.ts';
import { serverIsBack, useIsUnreachable } from '../components/server-connection.ts';
import styles from './connection-notice.module.css';

const text = 'Cannot reach the server. Retrying…';

/**
 * Says in the bar that the server cannot be reached, where it covers nothing of the page, and loads
 * what is missing on the page once the server responds again.
 */
export function ConnectionNotice() {
  useRecovery();
  const isUnreachable = useIsUnreachable();
  return (
    <div role="status" className={styles.place} title={isUnreachable ? text : undefined}>
      {isUnreachable && (
        <p className={styles.notice}>
          <span className={styles.dot} aria-hidden="true" />
          <span className={styles.text}>{text}</span>
          <span className={styles.short} aria-hidden="true">
            Offline
          </span>
        </p>
      )}
    </div>
  );
}

function useRecovery(): void {
  const queryClient = useQueryClient();
  useEffect(() => {
    let isWaiting = false;
    const recover = async () => {
      isWaiting = true;
      const wasUnreachable = await serverIsBack();
      isWaiting = false;
      if (wasUnreachable)
        await queryClient.refetchQueries({ type: 'active', predicate: ({ state }) => isLost(state.error) });
    };
    return queryClient.getQueryCache().subscribe((event) => {
      if (event.type !== 'updated' || isWaiting) return;
      const { action } = event;
      if ((action.type === 'failed' || action.type === 'error') && isLost(action.error)) void recover();
    });
  }, [queryClient]);
}

/** No response arrived. */
function isLost(error: unknown): boolean {
  return isStatus(error, 0);
}
