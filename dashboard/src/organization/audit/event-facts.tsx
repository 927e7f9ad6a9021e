import { Link } from 'wouter';
import type { AuditEvent } from '../../../../src/client/organization-answers.ts';
import { exactTimes } from '../../parts/time.tsx';
import { useSearchValues } from '../../parts/use-search-values.ts';
import styles from './audit-list.module.css';
import { factRows } from './fact-rows.ts';

export function EventFacts({ event }: { readonly event: AuditEvent }) {
  const [local, utc] = exactTimes(event.created_at);
  return (
    <>
      <p className="muted">
        <span className="mono">{event.kind}</span>, {local} ({utc}),{' '}
        {event.key_label === null ? (
          'without a key'
        ) : (
          <>
            with key <span className="mono">{event.key_label}</span>
          </>
        )}
      </p>
      <table aria-label="What was before and after">
        <thead>
          <tr>
            <td />
            {event.before && <th scope="col">Before</th>}
            {event.after && <th scope="col">After</th>}
          </tr>
        </thead>
        <tbody>
          {factRows(event).map(({ name, before, after }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {event.before && <td>{before}</td>}
              {event.after && <td>{after}</td>}
            </tr>
          ))}
        </tbody>
      </table>
      <SimilarEvents event={event} />
    </>
  );
}

/** Ways from one event to others like it. */
function SimilarEvents({ event }: { readonly event: AuditEvent }) {
  const { hrefWith } = useSearchValues();
  const { actor_id, actor_email, kind, subject, workspace_id, workspace_slug } = event;
  const workspace = workspace_slug ?? workspace_id;
  return (
    <p className={styles.similar}>
      <span className="muted">Show only</span>{' '}
      {kind.startsWith('preset.') && workspace !== null && (
        <Link href={hrefWith({ workspace, preset: subject })}>this preset</Link>
      )}{' '}
      <Link href={hrefWith({ actor: actor_email ?? actor_id })}>this person</Link>{' '}
      <Link href={hrefWith({ kind })}>events like this</Link>
    </p>
  );
}
