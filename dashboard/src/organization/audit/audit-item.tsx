import { ChevronDown, ChevronRight } from 'lucide-react';
import { useId, useState } from 'react';
import type { AuditEvent } from '../../../../src/client/organization-answers.ts';
import { Button } from '../../parts/button.tsx';
import { Time } from '../../parts/time.tsx';
import styles from './audit-list.module.css';
import { phraseOf } from './audit-phrases.ts';
import { EventFacts } from './event-facts.tsx';
import { EventSubject } from './event-subject.tsx';

/** One thing that was done, as a sentence; what was before and after is there for whoever wants to see it. */
export function AuditItem({ event }: { readonly event: AuditEvent }) {
  const [isOpen, setIsOpen] = useState(false);
  const factsId = useId();
  const { before, after } = phraseOf(event);
  return (
    <li className={styles.event}>
      <span className={styles.when}>
        <Time at={event.created_at} />
      </span>
      <p className={styles.what}>
        <strong>{event.actor_email ?? event.actor_id}</strong> {before} <EventSubject event={event} /> {after}
      </p>
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
