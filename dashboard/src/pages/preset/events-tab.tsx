import { usePresetEvents } from '../../api/presets.ts';
import { classNames } from '../../components/class-names.ts';
import { ErrorNotice } from '../../components/notice.tsx';
import { Panel } from '../../components/page.tsx';
import { PagedList } from '../../components/paged-list.tsx';
import { useUrlParams } from '../../components/use-url-params.ts';
import { EventList } from './event-list.tsx';
import styles from './events.module.css';
import { usePresetActions } from './preset-actions.tsx';

const limit = 25;

/** The history of a preset. */
export function EventsTab() {
  const { slug } = usePresetActions();
  const { offset } = useUrlParams();
  const query = usePresetEvents(slug, { offset, limit });
  if (query.error)
    return (
      <ErrorNotice error={query.error} title="Could not load the events" retry={() => void query.refetch()} />
    );
  return (
    <Panel title="Events" isFlush>
      <PagedList query={query} limit={limit} one="event" lines={8} firstPageLabel="Show newest events">
        {(events, isStale) => (
          <div className={classNames(styles.events, isStale && 'stale')}>
            <EventList slug={slug} events={events} />
          </div>
        )}
      </PagedList>
    </Panel>
  );
}
