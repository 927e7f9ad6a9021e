import { usePresetEvents } from '../../api/presets.ts';
import { Button } from '../../components/button.tsx';
import { classNames } from '../../components/class-names.ts';
import { Loading } from '../../components/loading.tsx';
import { EmptyState, ErrorNotice } from '../../components/notice.tsx';
import { Panel } from '../../components/page.tsx';
import { Pager } from '../../components/pager.tsx';
import { useUrlParams } from '../../components/use-url-params.ts';
import { EventList } from './event-list.tsx';
import styles from './events.module.css';

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
