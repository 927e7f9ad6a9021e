import { type ReactNode, useState } from 'react';
import type { Schema } from './api-document.ts';
import styles from './api-reference.module.css';
import { describeLimits, describeType, partsOf, type Resolve } from './schema-text.ts';

interface SchemaFieldsProps {
  readonly schema: Schema;
  readonly resolve: Resolve;
  /** Accessible name of the list. */
  readonly label: string;
}

/** The fields of a schema. Those of nested objects are rendered once they are opened. */
export function SchemaFields({ schema, resolve, label }: SchemaFieldsProps) {
  return (
    <ul className={styles.fields} aria-label={label}>
      {partsOf(schema, resolve).map((part) => (
        <FieldItem
          key={part.name}
          name={part.name}
          type={describeType(part.schema, resolve)}
          isRequired={part.isRequired}
          description={resolve(part.schema).description}
          limits={describeLimits(resolve(part.schema))}
        >
          {partsOf(part.schema, resolve).length > 0 && (
            <Nested name={part.name}>
              {() => <SchemaFields schema={part.schema} resolve={resolve} label={`Fields of ${part.name}`} />}
            </Nested>
          )}
        </FieldItem>
      ))}
    </ul>
  );
}

interface FieldItemProps {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: string | undefined;
  readonly limits: string;
  readonly children?: ReactNode;
}

/** A parameter or a field. */
export function FieldItem({ name, type, isRequired, description, limits, children }: FieldItemProps) {
  return (
    <li className={styles.field}>
      <p>
        <code className={styles.name}>{name}</code> <span className={styles.type}>{type}</span>{' '}
        {isRequired && <span className={styles.required}>required</span>}
      </p>
      {description !== undefined && (
        <p className="muted">
          <RichText text={description} />
        </p>
      )}
      {limits !== '' && <p className="note">{limits}</p>}
      {children}
    </li>
  );
}

function Nested({ name, children }: { readonly name: string; readonly children: () => ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className={styles.nested} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        Fields<span className="visually-hidden"> of {name}</span>
      </summary>
      {isOpen && children()}
    </details>
  );
}

/** Descriptions are plain text with `code`. */
export function RichText({ text }: { readonly text: string }) {
  return text.split(/(`[^`]+`)/).map((part, at) =>
    part.startsWith('`') && part.length > 2 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the text never changes
      <code key={at}>{part.slice(1, -1)}</code>
    ) : (
      part
    ),
  );
}
