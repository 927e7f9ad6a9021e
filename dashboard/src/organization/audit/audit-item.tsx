import { ChevronDown, ChevronRight } from 'lucide-react';
import { Fragment, type ReactNode, useId, useState } from 'react';
import { Link } from 'wouter';
import type { AuditEvent } from '../../../../src/client/organization-answers.ts';
import { CompareLink } from '../../preset/compare-link.tsx';
import { type PresetLocation, versionHref } from '../../preset/preset-links.ts';
import { Button } from '../../ui/button.tsx';
import { EventTime } from '../../ui/time.tsx';
import { useUrlParams } from '../../ui/use-url-params.ts';
import styles from './audit-list.module.css';
import { type PhrasePart, phraseOf } from './audit-phrases.ts';
import { EventDetails } from './event-details.tsx';
import { EventSubject, isInDeletedWorkspace } from './event-subject.tsx';

interface AuditItemProps {
  readonly event: AuditEvent;
  /** Whether to show the workspace; with a single one it is redundant. */
  readonly hasWorkspace: boolean;
}

/**
 * One event as a sentence whose parts link to what they name. Details show the values before and
 * after.
 */
export function AuditItem({ event, hasWorkspace }: AuditItemProps) {
  const [isOpen, setIsOpen] = useState(false);
  const location = locationOf(event);
  const detailsId = useId();
  return (
    <li className={styles.event}>
      <span className={styles.when}>
        <EventTime at={event.created_at} />
      </span>
      <p className={styles.what}>
        <strong>{event.actor_email ?? event.actor_id}</strong>{' '}
        {phraseOf(event).map((part, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence never move
          <Fragment key={index}>
            {index > 0 && ' '}
            <Part part={part} event={event} />
          </Fragment>
        ))}
        {location && <CompareLink location={location} event={event} />}
      </p>
      {hasWorkspace && (
        <span className={styles.workspace}>
          <WorkspaceLink event={event} />
        </span>
      )}
      <span className={styles.key}>{event.key_label ?? 'No key'}</span>
      <Button
        isSmall
        variant="quiet"
        className={styles.toggle}
        aria-expanded={isOpen}
        aria-controls={detailsId}
        onClick={() => setIsOpen(!isOpen)}
      >
        {isOpen ? <ChevronDown aria-hidden="true" /> : <ChevronRight aria-hidden="true" />}
        Details
      </Button>
      <div id={detailsId} className={styles.details} hidden={!isOpen}>
        {isOpen && <EventDetails event={event} />}
      </div>
    </li>
  );
}

/** Versions of a preset in a deleted workspace are not linked. */
function Part({ part, event }: { readonly part: PhrasePart; readonly event: AuditEvent }): ReactNode {
  if (typeof part === 'string') return part;
  if (!('version' in part)) return <EventSubject event={event} />;
  const text = `version ${part.version}`;
  const location = locationOf(event);
  return location === undefined ? text : <Link href={versionHref(location, part.version)}>{text}</Link>;
}

/** The event's preset; undefined for other events, and if its workspace was deleted. */
function locationOf(event: AuditEvent): PresetLocation | undefined {
  if (!event.kind.startsWith('preset.') || isInDeletedWorkspace(event)) return undefined;
  return { slug: event.subject, workspaceId: event.workspace_id ?? undefined };
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
