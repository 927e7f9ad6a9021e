import { formatCount } from '../ui/format-number.ts';
import styles from './config-value.module.css';
import { JsonDetails } from './json-details.tsx';
import { describeSchema } from './tool-summary.ts';
import { fitsOutline, isJsonObject, isScalar, isSchema, type JsonObject } from './value-shape.ts';

interface ConfigValueProps {
  readonly value: unknown;
  /** The field's name. */
  readonly name: string;
}

/**
 * Any config value: scalars as text, small structures as an outline, everything else as collapsed
 * JSON.
 */
export function ConfigValue({ value, name }: ConfigValueProps) {
  if (isScalar(value)) return <Scalar value={value} />;
  if (isSchema(name, value))
    return <JsonDetails value={value} summary={describeSchema(value, 'field')} label={name} />;
  if (!fitsOutline(value)) return <JsonDetails value={value} summary={describeSize(value)} label={name} />;
  if (isJsonObject(value)) return <Outline value={value} />;
  return Array.isArray(value) ? <Items items={value} name={name} /> : null;
}

function Scalar({ value }: { readonly value: unknown }) {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (value === null) return <span className="muted">null</span>;
  if (typeof value !== 'string') return <span className="mono">{JSON.stringify(value)}</span>;
  if (value === '') return <span className="muted">Empty string</span>;
  return <span className={styles.text}>{value}</span>;
}

function Items({ items, name }: { readonly items: readonly unknown[]; readonly name: string }) {
  if (items.length === 0) return <span className="muted">Empty list</span>;
  const isPlain = items.every(isScalar);
  return (
    <ol className={isPlain ? styles.plainItems : styles.items}>
      {items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the items of a version never change
        <li key={index}>
          <ConfigValue value={item} name={name} />
        </li>
      ))}
    </ol>
  );
}

/** Names and values as a nested list. */
export function Outline({ value }: { readonly value: JsonObject }) {
  const entries = Object.entries(value);
  if (entries.length === 0) return <span className="muted">Empty</span>;
  return (
    <dl className={styles.outline}>
      {entries.map(([name, item]) => (
        <div key={name} className={styles.entry}>
          <dt>{name}</dt>
          <dd>
            <ConfigValue value={item} name={name} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** A one-line summary of a value that is too large for an outline. */
function describeSize(value: unknown): string {
  if (Array.isArray(value)) return formatCount(value.length, 'item', 'items');
  const names = isJsonObject(value) ? Object.keys(value) : [];
  return `${names.slice(0, 6).join(', ')}${names.length > 6 ? ', …' : ''}`;
}
