import type { AuditEvent } from '../../../../src/client/organization-answers.ts';
import { factRows } from './fact-rows.ts';

export function EventFacts({ event }: { readonly event: AuditEvent }) {
  return (
    <>
      <p className="muted">
        <span className="mono">{event.kind}</span>,{' '}
        {new Date(event.created_at).toLocaleString('en', { dateStyle: 'full', timeStyle: 'long' })}
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
    </>
  );
}
