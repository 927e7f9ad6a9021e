import { usePresetEvents } from '../api/presets.ts';
import { Button } from '../ui/button.tsx';
import { classNames } from '../ui/class-names.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Loading } from '../ui/loading.tsx';
import { Pager } from '../ui/pager.tsx';
import { Panel } from '../ui/panel.tsx';
import { useUrlParams } from '../ui/use-url-params.ts';
import { EventList } from './event-list.tsx';
import styles from './events-tab.module.css';

const limit = 25;

/** The history of a preset. */
export function EventsTab({ slug }: { readonly slug: string }) {
  const { offset, change } = useUrlParams();
  const { data, error, isPlaceholderData, refetch } = usePresetEvents(slug, { offset, limit });
  if (error)
    return <ErrorNotice error={error} title="Could not load the events" retry={() => void refetch()} />;
  return (
    <Panel title="Events" isFlush>
      {data === undefined ? (
        <Loading lines={8} label="Loading events" />
      ) : data.data.length === 0 ? (
        <EmptyState title="This page no longer exists">
          <Button onClick={() => change({ offset: '' })}>Show newest events</Button>
        </EmptyState>
      ) : (
        <>
          <div className={classNames(styles.events, isPlaceholderData && styles.stale)}>
            <EventList slug={slug} events={data.data} />
          </div>
          <Pager
            offset={offset}
            limit={limit}
            totalCount={data.total_count}
            one="event"
            onChange={(next) => change({ offset: next === 0 ? '' : String(next) })}
          />
        </>
      )}
    </Panel>
  );
}
