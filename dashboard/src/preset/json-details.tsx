import { useState } from 'react';
import { CodeBlock } from '../parts/code-block.tsx';
import styles from './json-details.module.css';

interface JsonDetailsProps {
  readonly value: unknown;
  readonly summary: string;
  /** What it is, for those who hear it. */
  readonly label: string;
}

/** JSON behind a line that tells what is in it; written out once it is opened, as there may be thousands on a page. */
export function JsonDetails({ value, summary, label }: JsonDetailsProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details className={styles.details} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen && <CodeBlock code={JSON.stringify(value, null, 2)} label={label} isBounded />}
    </details>
  );
}
