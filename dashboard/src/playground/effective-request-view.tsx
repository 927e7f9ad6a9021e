import { Badge } from '../ui/badge.tsx';
import { CodeBlock } from '../ui/code-block.tsx';
import styles from './effective-request-view.module.css';
import type { EffectiveRequest } from './playground-request.ts';

/** The request after presetd has applied the preset, as the upstream would receive it. */
export function EffectiveRequestView({ request }: { readonly request: EffectiveRequest }) {
  const { preset, upstream, method, url, headers, fallbacks, body } = request;
  return (
    <section className={styles.view} aria-label="Effective request">
      <h3>Effective request</h3>
      <p className="muted">
        The request to the upstream {upstream}
        {preset !== null && <>, with {preset} applied</>}.
      </p>
      <p className={styles.address}>
        <Badge>{method}</Badge> <code>{url}</code>
      </p>
      <FieldNames label="Overridden by the request:" fields={request.overridden_fields} />
      <FieldNames
        label="Dropped because the upstream or the format does not support them:"
        fields={request.dropped_fields}
      />
      {fallbacks.length > 0 && (
        <p>
          Fallbacks:{' '}
          {fallbacks
            .map(({ upstream: next, model }) => (model === null ? next : `${model} at ${next}`))
            .join(', ')}
        </p>
      )}
      <CodeBlock label="request body" code={JSON.stringify(body, undefined, 2)} isWrapped isBounded />
      <details className={styles.headers}>
        <summary>Headers</summary>
        <CodeBlock label="request headers" code={headerText(headers)} isWrapped />
      </details>
    </section>
  );
}

/** Renders nothing for an empty list. */
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
