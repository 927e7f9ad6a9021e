import { useState } from 'react';
import { CodeBlock } from '../ui/code-block.tsx';
import styles from './json-details.module.css';

interface JsonDetailsProps {
  readonly value: unknown;
  readonly summary: string;
  /** Accessible name. */
  readonly label: string;
}

/**
 * JSON under a summary line. It is serialized only once opened, since there may be thousands on a
 * page.
 */
export function JsonDetails({ value, summary, label }: JsonDetailsProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details className={styles.details} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen && <CodeBlock code={JSON.stringify(value, null, 2)} label={label} isBounded />}
    </details>
  );
}
