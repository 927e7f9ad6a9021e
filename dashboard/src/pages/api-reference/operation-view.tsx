import { useEffect, useRef } from 'react';
import type { Operation } from './api-document.ts';
import styles from './api-reference.module.css';
import { MethodName } from './method-name.tsx';
import { FieldItem, RichText, SchemaFields } from './schema-fields.tsx';
import { describeLimits, describeType, partsOf, type Resolve } from './schema-text.ts';
import { TryIt } from './try-it.tsx';

interface OperationViewProps {
  readonly operation: Operation;
  readonly resolve: Resolve;
  readonly apiKey: string | undefined;
  readonly workspaceId: string | undefined;
  /** Whether the user chose it from the list, which stays, so that the keyboard continues here. */
  readonly isChosen: boolean;
}

/** One operation: what it does, what it takes and returns, and a form to try it. */
export function OperationView({ operation, resolve, apiKey, workspaceId, isChosen }: OperationViewProps) {
  const { method, path, summary, description, parameters, body, responses } = operation;
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (isChosen) title.current?.focus({ preventScroll: true });
  }, [isChosen]);
  return (
    <article className={styles.operationView}>
      <header className="stack-2">
        <h1 ref={title} tabIndex={-1}>
          {summary}
        </h1>
        <p className={styles.route}>
          <MethodName method={method} /> <code>{path}</code>
        </p>
        {description !== '' && (
          <p>
            <RichText text={description} />
          </p>
        )}
      </header>
      <div className={styles.details}>
        {parameters.length > 0 && (
          <section>
            <h2>Parameters</h2>
            <ul>
              {parameters.map((parameter) => (
                <FieldItem
                  key={`${parameter.in} ${parameter.name}`}
                  name={parameter.name}
                  type={`${describeType(parameter.schema, resolve)} in ${parameter.in}`}
                  isRequired={parameter.required ?? false}
                  description={parameter.description}
                  limits={describeLimits(parameter.schema)}
                />
              ))}
            </ul>
          </section>
        )}
        {body !== undefined && (
          <section>
            <h2>Body</h2>
            <p className="note">
              {describeType(body.schema, resolve)}, as {body.type}
              {!body.isRequired && ', optional'}
            </p>
            <SchemaFields schema={body.schema} resolve={resolve} label="Fields of the body" />
          </section>
        )}
      </div>
      <div className={styles.aside}>
        <TryIt operation={operation} resolve={resolve} apiKey={apiKey} workspaceId={workspaceId} />
      </div>
      <section className={styles.responses}>
        <h2>Responses</h2>
        <ul>
          {Object.entries(responses).map(([status, response]) => (
            <ResponseItem key={status} status={status} response={response} resolve={resolve} />
          ))}
        </ul>
      </section>
    </article>
  );
}

interface ResponseItemProps {
  readonly status: string;
  readonly response: Operation['responses'][string];
  readonly resolve: Resolve;
}

/** All errors have the same body, which needs no repetition. */
function ResponseItem({ status, response: { description, content = {} }, resolve }: ResponseItemProps) {
  const [[type, { schema = {} }] = ['', {}]] = Object.entries(content);
  if (Number(status) >= 400)
    return (
      <li className={styles.error}>
        <code>{status}</code>
        <span className="muted">
          <RichText text={description} />
        </span>
      </li>
    );
  return (
    <FieldItem name={status} type={type} isRequired={false} description={description} limits="">
      {partsOf(schema, resolve).length > 0 && (
        <SchemaFields schema={schema} resolve={resolve} label={`Fields of response ${status}`} />
      )}
    </FieldItem>
  );
}
