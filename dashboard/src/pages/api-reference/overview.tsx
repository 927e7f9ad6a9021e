import { type OperationGroup, operationHash } from './api-document.ts';
import styles from './api-reference.module.css';
import { MethodName } from './method-name.tsx';
import { RichText } from './schema-fields.tsx';

interface OverviewProps {
  readonly groups: readonly OperationGroup[];
  readonly version: string;
}

/** The start of the reference: how to call the API, and all operations. */
export function Overview({ groups, version }: OverviewProps) {
  return (
    <article className={styles.overview}>
      <header className="stack-2">
        <h1 tabIndex={-1}>API reference</h1>
        <p>
          presetd {version} is compatible with the APIs of OpenRouter, OpenAI and Anthropic. Send an API key
          as <code>Authorization: Bearer …</code> or <code>x-api-key</code>. To generate a client, use the{' '}
          <a href="/openapi.json">OpenAPI document</a>.
        </p>
        <p className="muted">
          The live version of a preset is called <code>designated_version</code> in the API. Everything is
          returned under <code>data</code>, and errors under <code>error</code> with <code>code</code>,{' '}
          <code>message</code> and, for invalid requests, the list of problems.
        </p>
      </header>
      {groups.map(({ tag, description, operations }) => (
        <section key={tag} className="stack-2">
          <h2>{tag}</h2>
          <p className="muted">
            <RichText text={description} />
          </p>
          <ul className={styles.operations}>
            {operations.map((operation) => (
              <li key={operation.id}>
                <a href={operationHash(operation)} className={styles.overviewOperation}>
                  <MethodName method={operation.method} />
                  <span>{operation.summary}</span>
                  <code>{operation.path}</code>
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </article>
  );
}
