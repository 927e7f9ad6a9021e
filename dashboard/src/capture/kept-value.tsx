import { Expandable } from '../parts/expandable.tsx';
import styles from './kept-panel.module.css';
import { shortened } from './shortened.ts';

interface KeptValueProps {
  readonly name: string;
  readonly value: unknown;
}

const inlineCharactersMax = 60;

/** Short ones as they are; the others below a line that says what they are. */
export function KeptValue({ name, value }: KeptValueProps) {
  if (typeof value === 'string') return <code className={styles.value}>{shortened(value)}</code>;
  const inline = JSON.stringify(value);
  if (inline.length <= inlineCharactersMax) return <code className={styles.value}>{inline}</code>;
  return (
    <details className={styles.details}>
      <summary>{summaryOf(value)}</summary>
      <div className={styles.frame}>
        <Expandable label={name} className={styles.json}>
          {shortened(JSON.stringify(value, null, 2))}
        </Expandable>
      </div>
    </details>
  );
}

const namesMax = 5;

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

/** Of a tool, in whichever dialect. */
function nameOf(item: unknown): string | undefined {
  if (typeof item !== 'object' || item === null) return undefined;
  if ('name' in item && typeof item.name === 'string') return item.name;
  if ('function' in item) return nameOf(item.function);
  return 'type' in item && typeof item.type === 'string' ? item.type : undefined;
}
