import { useMemo } from 'react';
import type { PresetEvent } from '../../../../src/api/events.ts';
import { type Directory, useDirectory } from '../../api/organization.ts';
import { usePresetEventRows } from '../../api/presets.ts';
import type { Column, Facet } from '../../components/data-table/column.ts';
import { DataTable } from '../../components/data-table/data-table.tsx';
import { Panel } from '../../components/page.tsx';
import { EventTime } from '../../components/time.tsx';
import { describeChange, textOf } from '../../features/events/describe-event.ts';
import { CompareLink, EventSentence } from '../../features/events/event-list.tsx';
import styles from '../../features/events/events.module.css';
import { presetEventTexts } from '../../features/events/preset-event-texts.ts';
import { PersonName, personText } from '../../features/organization/person-name.tsx';
import { usePresetActions } from '../../features/preset-changes/use-preset-actions.ts';

/** The history of a preset. */
export function EventsTab() {
  const { slug } = usePresetActions();
  const { directory } = useDirectory();
  const columns = useMemo(() => columnsOf(slug, directory), [slug, directory]);
  return (
    <Panel isFlush>
      <DataTable
        id="events"
        label="Events"
        noun={['event', 'events']}
        columns={columns}
        source={usePresetEventRows(slug)}
        keyOf={({ id }) => id}
        search={{ label: 'Search events', placeholder: 'Search by change, person or key', maxLength: 200 }}
        facets={facets}
      />
    </Panel>
  );
}

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
    matches: ({ kind }, value) => value === '' || presetEventTexts[kind]?.about === value,
  },
];

function columnsOf(slug: string, directory: Directory): readonly Column<PresetEvent>[] {
  return [
    {
      id: 'event',
      title: 'Event',
      wraps: true,
      isFixed: true,
      isSortable: false,
      value: changeText,
      cell: (event) => (
        <span className={styles.change} title={changeText(event)}>
          <EventSentence slug={slug} parts={describeChange(event)} />
          <CompareLink location={{ slug }} event={event} />
        </span>
      ),
    },
    {
      id: 'actor',
      title: 'By',
      isObvious: true,
      value: ({ actor_email, actor_id }) => personText(directory, actor_email ?? actor_id),
      exportValue: ({ actor_email, actor_id }) => actor_email ?? actor_id,
      cell: ({ actor_email, actor_id }) => <PersonName email={actor_email ?? actor_id} />,
    },
    {
      id: 'key',
      title: 'Key or session',
      isObvious: true,
      isFit: true,
      value: ({ key_label }) => key_label,
      cell: ({ key_label }) => key_label && <span className="mono note">{key_label}</span>,
    },
    {
      id: 'time',
      title: 'Time',
      isObvious: true,
      isFit: true,
      isDescendingFirst: true,
      value: ({ created_at }) => created_at,
      cell: ({ created_at }) => <EventTime at={created_at} />,
    },
  ];
}

function changeText(event: PresetEvent): string {
  return textOf(describeChange(event));
}
