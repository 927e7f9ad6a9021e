import { ChevronDown, ChevronRight } from 'lucide-react';
import { Fragment, type ReactNode, useId, useState } from 'react';
import { Link } from 'wouter';
import type { AuditEvent } from '../../../../src/client/organization-answers.ts';
import { Button } from '../../parts/button.tsx';
import { EventTime } from '../../parts/time.tsx';
import { useSearchValues } from '../../parts/use-search-values.ts';
import { type PresetPlace, versionHref, versionStep } from '../../preset/preset-links.ts';
import { StepLink } from '../../preset/step-link.tsx';
import styles from './audit-list.module.css';
import { type PhrasePart, phraseOf } from './audit-phrases.ts';
import { EventFacts } from './event-facts.tsx';
import { EventSubject, isInDeletedWorkspace } from './event-subject.tsx';

interface AuditItemProps {
  readonly event: AuditEvent;
  /** Where there is one workspace, it goes without saying. */
  readonly hasWorkspace: boolean;
}

/** One event as a sentence whose parts lead to what they name. Details show the values before and after. */
export function AuditItem({ event, hasWorkspace }: AuditItemProps) {
  const [isOpen, setIsOpen] = useState(false);
  const factsId = useId();
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
        <CompareLink event={event} />
      </p>
      {hasWorkspace && (
        <span className={styles.workspace}>
          <WorkspaceLink event={event} />
        </span>
      )}
      <span className={styles.key}>{event.key_label ?? 'without a key'}</span>
      <Button
        isSmall
        variant="quiet"
        className={styles.toggle}
        aria-expanded={isOpen}
        aria-controls={factsId}
        onClick={() => setIsOpen(!isOpen)}
      >
        {isOpen ? <ChevronDown aria-hidden="true" /> : <ChevronRight aria-hidden="true" />}
        Details
      </Button>
      <div id={factsId} className={styles.facts} hidden={!isOpen}>
        {isOpen && <EventFacts event={event} />}
      </div>
    </li>
  );
}

function Part({ part, event }: { readonly part: PhrasePart; readonly event: AuditEvent }): ReactNode {
  if (typeof part === 'string') return part;
  if (!('version' in part)) return <EventSubject event={event} />;
  const text = `version ${part.version}`;
  const place = placeOf(event);
  return place === undefined ? text : <Link href={versionHref(place, part.version)}>{text}</Link>;
}

function CompareLink({ event }: { readonly event: AuditEvent }) {
  const [step, place] = [versionStep(event), placeOf(event)];
  return step && place && <StepLink place={place} step={step} />;
}

/** A preset of a workspace that is still there. */
function placeOf(event: AuditEvent): PresetPlace | undefined {
  if (!event.kind.startsWith('preset.') || isInDeletedWorkspace(event)) return undefined;
  return { slug: event.subject, workspaceId: event.workspace_id ?? undefined };
}

function WorkspaceLink({ event }: { readonly event: AuditEvent }) {
  const { hrefWith } = useSearchValues();
  const { workspace_id, workspace_slug, workspace_name } = event;
  if (workspace_id === null) return null;
  const name = workspace_name ?? workspace_id;
  return (
    <Link
      href={hrefWith({ workspace: workspace_slug ?? workspace_id })}
      className={styles.chip}
      title={`Only events of ${name}`}
    >
      <span className="visually-hidden">in </span>
      {name}
      {workspace_slug === null && <span className="muted"> (deleted)</span>}
    </Link>
  );
}
