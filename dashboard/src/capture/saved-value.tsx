import { Expandable } from '../ui/expandable.tsx';
import styles from './saved-panel.module.css';
import { truncate } from './truncate.ts';

interface SavedValueProps {
  readonly name: string;
  readonly value: unknown;
}

/** About what fits next to the field name. */
const inlineCharactersMax = 60;

/** Short values inline; longer ones as JSON under a one-line summary. */
export function SavedValue({ name, value }: SavedValueProps) {
  if (typeof value === 'string') return <code className={styles.value}>{truncate(value)}</code>;
  const inline = JSON.stringify(value);
  if (inline.length <= inlineCharactersMax) return <code className={styles.value}>{inline}</code>;
  return (
    <details className={styles.details}>
      <summary>{summaryOf(value)}</summary>
      <div className={styles.frame}>
        <Expandable label={name} className={styles.json}>
          {truncate(JSON.stringify(value, null, 2))}
        </Expandable>
      </div>
    </details>
  );
}

const namesMax = 5;

/** "3 items: get_weather, find_parcel, …" for a list, the field names for an object. */
function summaryOf(value: unknown): string {
  if (!Array.isArray(value)) return fieldNames(Object.keys(value ?? {}));
  const names = value.map(nameOf).filter((name) => name !== undefined);
  const count = value.length === 1 ? '1 item' : `${value.length} items`;
  return names.length === 0 ? count : `${count}: ${fieldNames(names)}`;
}

function fieldNames(names: readonly string[]): string {
  const rest = names.length - namesMax;
  return names.slice(0, namesMax).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

/** The name of a tool in any dialect, or its type if it has no name. */
function nameOf(item: unknown): string | undefined {
  if (typeof item !== 'object' || item === null) return undefined;
  if ('name' in item && typeof item.name === 'string') return item.name;
  if ('function' in item) return nameOf(item.function);
  return 'type' in item && typeof item.type === 'string' ? item.type : undefined;
}
