import { GitCompareArrows } from 'lucide-react';
import { Fragment } from 'react';
import { Link } from 'wouter';
import type { PresetEvent } from '../../../../src/api/events.ts';
import { compareHref, type PresetLocation, versionHref } from '../../components/preset-links.ts';
import { EventTime } from '../../components/time.tsx';
import { PersonName } from '../organization/person-name.tsx';
import { type EventFields, versionsChangedBy } from './changed-versions.ts';
import { describeEvent } from './describe-event.ts';
import type { SentencePart } from './event-parts.ts';
import styles from './events.module.css';

interface EventListProps {
  readonly slug: string;
  readonly events: readonly PresetEvent[];
}

/** Events as sentences whose versions are links, newest first. */
export function EventList({ slug, events }: EventListProps) {
  return (
    <ol className={styles.list} aria-label="Events">
      {events.map((event) => (
        <li key={event.number} className={styles.event}>
          <span className={styles.what}>
            <EventSentence slug={slug} parts={describeEvent(event)} />
            <CompareLink location={{ slug }} event={event} />
          </span>
          <span className="note">
            <EventTime at={event.created_at} />
            {event.key_label !== null && (
              <>
                {' '}
                with <span className="mono">{event.key_label}</span>
              </>
            )}
          </span>
        </li>
      ))}
    </ol>
  );
}

interface EventSentenceProps {
  readonly slug: string;
  readonly parts: readonly SentencePart[];
}

/** A sentence with people by name, whose versions are links. */
export function EventSentence({ slug, parts }: EventSentenceProps) {
  return parts.map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence never move
    <Fragment key={index}>
      <Part slug={slug} part={part} />
    </Fragment>
  ));
}

function Part({ slug, part }: { readonly slug: string; readonly part: SentencePart }) {
  if (typeof part === 'string') return part;
  if ('person' in part) return <PersonName email={part.person} />;
  return <Link href={versionHref({ slug }, part.version)}>{part.text}</Link>;
}

interface CompareLinkProps {
  readonly location: PresetLocation;
  readonly event: EventFields;
}

/**
 * Links an event to the diff it caused, such as "Compare 3 → 2" for a rollback. Renders nothing for
 * events that did not move the live version or a label.
 */
export function CompareLink({ location, event }: CompareLinkProps) {
  const pair = versionsChangedBy(event);
  if (pair === undefined) return null;
  return (
    <Link href={compareHref(location, pair)} className={styles.compareLink}>
      <GitCompareArrows aria-hidden="true" />
      Compare <span className="visually-hidden">versions </span>
      {pair.from} → {pair.to}
    </Link>
  );
}
