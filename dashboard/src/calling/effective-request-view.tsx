import { Badge } from '../parts/badge.tsx';
import { CodeBlock } from '../parts/code-block.tsx';
import styles from './effective-request-view.module.css';
import type { EffectiveRequest } from './playground-request.ts';

/** What presetd makes of a request and the preset: what the upstream gets. */
export function EffectiveRequestView({ request }: { readonly request: EffectiveRequest }) {
  const { preset, upstream, method, url, headers, fallbacks, body } = request;
  return (
    <section className={styles.view} aria-label="Effective request">
      <h3>Effective request</h3>
      <p className="muted">
        What presetd sends{preset !== null && <> with {preset}</>} to the upstream {upstream}.
      </p>
      <p className={styles.address}>
        <Badge>{method}</Badge> <code>{url}</code>
      </p>
      <FieldNames label="Overridden by the request:" fields={request.overridden_fields} />
      <FieldNames
        label="Left out, since the upstream or the dialect has no place for it:"
        fields={request.dropped_fields}
      />
      {fallbacks.length > 0 && (
        <p>
          If that fails:{' '}
          {fallbacks
            .map(({ upstream: next, model }) => (model === null ? next : `${model} at ${next}`))
            .join(', ')}
        </p>
      )}
      <CodeBlock label="the body" code={JSON.stringify(body, undefined, 2)} isWrapped isBounded />
      <details className={styles.headers}>
        <summary>Headers</summary>
        <CodeBlock label="the headers" code={headerText(headers)} isWrapped />
      </details>
    </section>
  );
}

function FieldNames({ label, fields }: { readonly label: string; readonly fields: readonly string[] }) {
  if (fields.length === 0) return null;
  return (
    <p>
      {label}{' '}
      {fields.map((field, index) => (
        <span key={field}>
          {index > 0 && ', '}
          <code>{field}</code>
        </span>
      ))}
    </p>
  );
}

function headerText(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}
