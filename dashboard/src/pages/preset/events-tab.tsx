import type { PresetEvent } from '../../../../src/api/events.ts';
import { usePresetEventRows } from '../../api/presets.ts';
import type { Column, Facet } from '../../components/data-table/column.ts';
import { DataTable } from '../../components/data-table/data-table.tsx';
import { Panel } from '../../components/page.tsx';
import { EventTime } from '../../components/time.tsx';
import { describeEvent } from '../../features/events/describe-event.ts';
import { CompareLink, EventSentence } from '../../features/events/event-list.tsx';
import styles from '../../features/events/events.module.css';
import { usePresetActions } from '../../features/preset-changes/use-preset-actions.ts';

/** The history of a preset. */
export function EventsTab() {
  const { slug } = usePresetActions();
  return (
    <Panel isFlush>
      <DataTable
        id="events"
        label="Events"
        noun={['event', 'events']}
        columns={columnsOf(slug)}
        source={usePresetEventRows(slug)}
        keyOf={({ id }) => id}
        search={{ label: 'Search events', placeholder: 'Search by change, person or key', maxLength: 200 }}
        facets={facets}
      />
    </Panel>
  );
}

/** Kinds of events by what they change. */
const groups: Readonly<Record<string, RegExp>> = {
  versions: /^preset\.(created|imported|version_added|designated)$/,
  labels: /^preset\.label_/,
  names: /^preset\.(renamed|slug_changed|alias_|described|tagged)/,
  cases: /^preset\.case_/,
  status: /^preset\.(disabled|enabled|archived|restored)$/,
};

const facets: readonly Facet<PresetEvent>[] = [
  {
    id: 'about',
    label: 'About',
    options: [
      ['', 'All events'],
      ['versions', 'Versions'],
      ['labels', 'Labels'],
      ['names', 'Names, description and tags'],
      ['cases', 'Test cases'],
      ['status', 'Status'],
    ],
    matches: ({ kind }, value) => groups[value]?.test(kind) ?? true,
  },
];

function columnsOf(slug: string): readonly Column<PresetEvent>[] {
  return [
    {
      id: 'event',
      title: 'Event',
      width: '50%',
      isFixed: true,
      isSortable: false,
      value: changeText,
      cell: (event) => (
        <span className={styles.change} title={changeText(event)}>
          <EventSentence slug={slug} parts={changeParts(event)} />
          <CompareLink location={{ slug }} event={event} />
        </span>
      ),
    },
    {
      id: 'actor',
      title: 'By',
      value: ({ actor_email, actor_id }) => actor_email ?? actor_id,
      cell: ({ actor_email, actor_id }) => (
        <span title={actor_email ?? actor_id}>{actor_email ?? 'Someone'}</span>
      ),
    },
    {
      id: 'key',
      title: 'Key or session',
      value: ({ key_label }) => key_label,
      cell: ({ key_label }) => key_label && <span className="mono note">{key_label}</span>,
    },
    {
      id: 'time',
      title: 'Time',
      width: '150px',
      isDescendingFirst: true,
      value: ({ created_at }) => created_at,
      cell: ({ created_at }) => <EventTime at={created_at} />,
    },
  ];
}

/** Without its first part: the person has a column of their own. */
function changeParts(event: PresetEvent) {
  return describeEvent(event).slice(1);
}

function changeText(event: PresetEvent): string {
  return changeParts(event)
    .map((part) => (typeof part === 'string' ? part : part.text))
    .join('');
}
