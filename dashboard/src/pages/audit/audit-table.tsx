import { Fragment, type ReactNode, useMemo } from 'react';
import { Link } from 'wouter';
import type { AuditEvent } from '../../../../src/api/audit.ts';
import { type Directory, useDirectory, useProviderNames } from '../../api/organization.ts';
import { workspacePath } from '../../components/addresses.ts';
import type { Column } from '../../components/data-table/column.ts';
import { DataTable, type DataTableProps } from '../../components/data-table/data-table.tsx';
import type { GroupOptions } from '../../components/data-table/table-options.ts';
import { type PresetLocation, presetHref, versionHref } from '../../components/preset-links.ts';
import { dayOf, EventTime, exactTimes } from '../../components/time.tsx';
import { useUrlParams } from '../../components/use-url-params.ts';
import { CompareLink } from '../../features/events/event-list.tsx';
import type { PhrasePart } from '../../features/events/event-parts.ts';
import { PersonName, personText } from '../../features/organization/person-name.tsx';
import styles from './audit.module.css';
import { phraseOf } from './audit-phrases.ts';

interface AuditTableProps
  extends Pick<DataTableProps<AuditEvent>, 'source' | 'filters' | 'isFiltered' | 'onClear' | 'noMatch'> {
  /** Whether to show the workspace; with a single one it is redundant. */
  readonly hasWorkspaces: boolean;
}

/**
 * One event per row, as a phrase whose parts link to what they name. Details show the values before
 * and after. The log has no end, so it has one order.
 */
export function AuditTable({ hasWorkspaces, ...table }: AuditTableProps) {
  const providerName = useProviderNames();
  const { directory } = useDirectory();
  const naming = useMemo(() => ({ providerName, directory }), [providerName, directory]);
  const { value } = useUrlParams();
  const isByDay = value('sort') === '';
  const columns = useMemo(
    () => columnsOf(naming, isByDay).filter(({ id }) => hasWorkspaces || id !== 'workspace'),
    [naming, isByDay, hasWorkspaces],
  );
  const textOf = (event: AuditEvent) => phraseText(event, naming);
  return (
    <DataTable
      {...table}
      id="audit"
      label="Events"
      noun={['event', 'events']}
      columns={columns}
      keyOf={({ id }) => id}
      search={{
        label: 'Search events',
        placeholder: 'Search by person, preset, key or change',
        maxLength: 200,
        narrowing: 'Choose a shorter period or a kind of event.',
      }}
      groups={groups}
      details={{ nameOf: textOf, render: (event) => <EventDetails event={event} /> }}
    />
  );
}

/** By day. Events that differ in their subject alone, such as those of an import, are similar. */
const groups: GroupOptions<AuditEvent> = {
  headingOf: ({ created_at }) => dayOf(created_at, new Date()),
  similarityOf: ({ kind, actor_id, workspace_id, key_label }) =>
    [kind, actor_id, workspace_id, key_label].join('\n'),
};

/** The names behind ids and addresses. */
interface Naming {
  readonly providerName: (id: string) => string;
  readonly directory: Directory;
}

function columnsOf(naming: Naming, isByDay: boolean): readonly Column<AuditEvent>[] {
  return [
    {
      id: 'time',
      title: 'Time',
      isObvious: true,
      isFit: true,
      value: ({ created_at }) => created_at,
      cell: ({ created_at }) => <EventTime at={created_at} isOfDay={isByDay} />,
    },
    {
      id: 'actor',
      title: 'Actor',
      isObvious: true,
      value: ({ actor_email, actor_id }) => personText(naming.directory, actor_email ?? actor_id),
      exportValue: ({ actor_email, actor_id }) => actor_email ?? actor_id,
      cell: ({ actor_email, actor_id }) => <PersonName email={actor_email ?? actor_id} />,
    },
    {
      id: 'event',
      title: 'Event',
      wraps: true,
      isFixed: true,
      isSortable: false,
      value: (event) => phraseText(event, naming),
      exportValue: (event) => phraseText(event, { ...naming, directory: new Map() }),
      cell: (event) => <Phrase event={event} naming={naming} />,
      aside: (event) => <EventComparison event={event} />,
    },
    {
      id: 'workspace',
      title: 'Workspace',
      isObvious: true,
      value: ({ workspace_name, workspace_id }) => workspace_name ?? workspace_id,
      cell: (event) => <WorkspaceLink event={event} />,
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
      id: 'kind',
      title: 'Kind',
      isObvious: true,
      isFit: true,
      isHiddenByDefault: true,
      value: ({ kind }) => kind,
      cell: ({ kind }) => <span className="mono">{kind}</span>,
    },
  ];
}

function Phrase({ event, naming }: { readonly event: AuditEvent; readonly naming: Naming }) {
  return (
    <span className={styles.what} title={phraseText(event, naming)}>
      {phraseOf(event, naming.providerName).map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence never move
        <Fragment key={index}>
          {index > 0 && ' '}
          <Part part={part} event={event} />
        </Fragment>
      ))}
    </span>
  );
}

function EventComparison({ event }: { readonly event: AuditEvent }) {
  const location = locationOf(event);
  return location && <CompareLink location={location} event={event} />;
}

function phraseText(event: AuditEvent, { providerName, directory }: Naming): string {
  return phraseOf(event, providerName)
    .map((part) => {
      if (typeof part === 'string') return part;
      if ('version' in part) return `version ${part.version}`;
      if ('call' in part) return part.call;
      return personText(directory, 'person' in part ? part.person : event.subject);
    })
    .join(' ');
}

/** Versions of a preset in a deleted workspace are not linked. */
function Part({ part, event }: { readonly part: PhrasePart; readonly event: AuditEvent }): ReactNode {
  if (typeof part === 'string') return part;
  if ('person' in part) return <PersonName email={part.person} />;
  if ('call' in part) return <CallLink id={part.call} event={event} />;
  if (!('version' in part)) return <EventSubject event={event} />;
  const text = `version ${part.version}`;
  const location = locationOf(event);
  return location === undefined ? text : <Link href={versionHref(location, part.version)}>{text}</Link>;
}

/** Calls of a deleted workspace are not linked. */
function CallLink({
  id,
  event: { workspace_slug: workspace },
}: {
  readonly id: string;
  readonly event: AuditEvent;
}) {
  if (workspace === null) return <span className="mono">{id}</span>;
  return (
    <Link href={workspacePath(workspace, `/calls/${encodeURIComponent(id)}`)} className="mono">
      {id}
    </Link>
  );
}

/** The event's preset; undefined for other events, and if its workspace was deleted. */
function locationOf(event: AuditEvent): PresetLocation | undefined {
  if (!event.kind.startsWith('preset.') || isInDeletedWorkspace(event)) return undefined;
  return { slug: event.subject, workspace: event.workspace_slug ?? undefined };
}

/** Filters the log by the event's workspace. */
function WorkspaceLink({ event }: { readonly event: AuditEvent }) {
  const { hrefWith } = useUrlParams();
  const { workspace_id, workspace_slug, workspace_name } = event;
  if (workspace_id === null) return null;
  const name = workspace_name ?? workspace_id;
  return (
    <Link
      href={hrefWith({ workspace: workspace_slug ?? workspace_id })}
      className={styles.chip}
      title={`Show only events in ${name}`}
    >
      <span className="visually-hidden">in </span>
      {name}
      {workspace_slug === null && <span className="muted"> (deleted)</span>}
    </Link>
  );
}

/** The subject of an event, linked to its page if it still has one. */
function EventSubject({ event }: { readonly event: AuditEvent }) {
  const href = subjectHref(event);
  const name = isAboutPerson(event) ? (
    <PersonName email={event.subject} />
  ) : (
    <span className="mono">{event.subject}</span>
  );
  return href === undefined ? name : <Link href={href}>{name}</Link>;
}

/** Their subject is the address of a person. */
function isAboutPerson({ kind }: AuditEvent): boolean {
  return kind.startsWith('member.') || kind.startsWith('account.');
}

/**
 * The page of an event's subject. Undefined if it is gone: keys and members that the event removed,
 * and everything in a deleted workspace.
 */
function subjectHref(event: AuditEvent): string | undefined {
  const { kind, subject, subject_id, workspace_id, workspace_slug } = event;
  if (isInDeletedWorkspace(event)) return undefined;
  switch (kind.slice(0, kind.indexOf('.'))) {
    case 'preset':
      return presetHref({ slug: subject, workspace: workspace_slug ?? undefined });
    case 'key':
      if (kind === 'key.deleted') return undefined;
      return `/organization/keys?${new URLSearchParams({ ...(workspace_id && { workspace: workspace_id }), status: 'all' })}`;
    case 'workspace':
      return `/organization/workspaces?${new URLSearchParams({ members: subject_id })}`;
    case 'member':
    case 'account':
      if (kind === 'member.removed') return undefined;
      return `/organization/members?${new URLSearchParams({ q: subject })}`;
    default:
      return undefined;
  }
}

/** Events keep the ID of a deleted workspace, but the API returns no slug for it. */
export function isInDeletedWorkspace({ workspace_id, workspace_slug }: AuditEvent): boolean {
  return workspace_id !== null && workspace_slug === null;
}

/** Exact time, key and values of an event, and filters for similar ones. */
function EventDetails({ event }: { readonly event: AuditEvent }) {
  const [local, utc] = exactTimes(event.created_at);
  return (
    <div className={styles.details}>
      <p className="muted">
        <span className="mono">{event.kind}</span> by {event.actor_email ?? event.actor_id}, {local} ({utc}),{' '}
        {event.key_label === null ? (
          'no key'
        ) : (
          <>
            key <span className="mono">{event.key_label}</span>
          </>
        )}
      </p>
      <table aria-label="Values before and after">
        <thead>
          <tr>
            <td />
            {event.before && <th scope="col">Before</th>}
            {event.after && <th scope="col">After</th>}
          </tr>
        </thead>
        <tbody>
          {changeRows(event).map(({ name, before, after }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {event.before && <td>{before}</td>}
              {event.after && <td>{after}</td>}
            </tr>
          ))}
        </tbody>
      </table>
      <SimilarEvents event={event} />
    </div>
  );
}

/** Filters for events like this one. */
function SimilarEvents({ event }: { readonly event: AuditEvent }) {
  const { hrefWith } = useUrlParams();
  const { actor_id, actor_email, kind, subject, workspace_id, workspace_slug } = event;
  const workspace = workspace_slug ?? workspace_id;
  return (
    <p className={styles.similar}>
      <span className="muted">Show only</span>{' '}
      {kind.startsWith('preset.') && workspace !== null && (
        <Link href={hrefWith({ workspace, preset: subject })}>this preset</Link>
      )}{' '}
      <Link href={hrefWith({ actor: actor_email ?? actor_id })}>this actor</Link>{' '}
      <Link href={hrefWith({ kind })}>this kind of event</Link>
    </p>
  );
}

interface ChangeRow {
  readonly name: string;
  /** Undefined if the event does not record it. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** The values of an event before and after, side by side. */
export function changeRows({ before, after }: Pick<AuditEvent, 'before' | 'after'>): readonly ChangeRow[] {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return [...names].map((name) => ({
    name: name.replaceAll('_', ' '),
    before: shown(before?.[name]),
    after: shown(after?.[name]),
  }));
}

/** Null and the empty string both mean that nothing was set. */
function shown(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (value === null || value === '') return 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
