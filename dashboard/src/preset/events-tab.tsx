import { usePresetEvents } from '../api/presets.ts';
import { Button } from '../parts/button.tsx';
import { classNames } from '../parts/class-names.ts';
import { Empty } from '../parts/empty.tsx';
import { ErrorNotice } from '../parts/error-notice.tsx';
import { Loading } from '../parts/loading.tsx';
import { Pager } from '../parts/pager.tsx';
import { Panel } from '../parts/panel.tsx';
import { useSearchValues } from '../parts/use-search-values.ts';
import { EventList } from './event-list.tsx';
import styles from './events-tab.module.css';

const limit = 25;

export function EventsTab({ slug }: { readonly slug: string }) {
  const { offset, change } = useSearchValues();
  const { data, error, isPlaceholderData, refetch } = usePresetEvents(slug, { offset, limit });
  if (error)
    return <ErrorNotice error={error} title="The events could not be read." retry={() => void refetch()} />;
  return (
    <Panel title="Events" isFlush>
      {data === undefined ? (
        <Loading lines={8} label="Loading events" />
      ) : data.data.length === 0 ? (
        <Empty title="No events this far back">
          <Button onClick={() => change({ offset: '' })}>Show the newest</Button>
        </Empty>
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
