import { Fragment } from 'react';
import { Link } from 'wouter';
import type { PresetEvent } from '../../../src/client/preset-answers.ts';
import { EventTime } from '../parts/time.tsx';
import { describeEvent, type SentencePart } from './describe-event.ts';
import styles from './event-list.module.css';
import { versionHref, versionStep } from './preset-links.ts';
import { StepLink } from './step-link.tsx';

interface EventListProps {
  readonly slug: string;
  readonly events: readonly PresetEvent[];
}

/** Who did what when, newest first. */
export function EventList({ slug, events }: EventListProps) {
  return (
    <ol className={styles.list} aria-label="Events">
      {events.map((event) => (
        <li key={event.number} className={styles.event}>
          <span className={styles.what}>
            {describeEvent(event).map((part, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence never move
              <Fragment key={index}>
                <Part slug={slug} part={part} />
              </Fragment>
            ))}
            <CompareLink slug={slug} event={event} />
          </span>
          <span className={styles.when}>
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

function Part({ slug, part }: { readonly slug: string; readonly part: SentencePart }) {
  return typeof part === 'string' ? (
    part
  ) : (
    <Link href={versionHref({ slug }, part.version)}>{part.text}</Link>
  );
}

function CompareLink({ slug, event }: { readonly slug: string; readonly event: PresetEvent }) {
  const step = versionStep(event);
  return step && <StepLink place={{ slug }} step={step} />;
}
