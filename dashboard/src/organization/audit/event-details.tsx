import { Link } from 'wouter';
import type { AuditEvent } from '../../../../src/client/organization-answers.ts';
import { exactTimes } from '../../ui/time.tsx';
import { useUrlParams } from '../../ui/use-url-params.ts';
import styles from './audit-list.module.css';
import { changeRows } from './change-rows.ts';

/** Exact time, key and values of an event, and filters for similar ones. */
export function EventDetails({ event }: { readonly event: AuditEvent }) {
  const [local, utc] = exactTimes(event.created_at);
  return (
    <>
      <p className="muted">
        <span className="mono">{event.kind}</span>, {local} ({utc}),{' '}
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
    </>
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
