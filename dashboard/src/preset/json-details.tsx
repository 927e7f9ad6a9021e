import { CodeBlock } from '../parts/code-block.tsx';
import styles from './json-details.module.css';

interface JsonDetailsProps {
  readonly value: unknown;
  readonly summary: string;
  /** What it is, for those who hear it. */
  readonly label: string;
}

/** JSON behind a line that tells what is in it. */
export function JsonDetails({ value, summary, label }: JsonDetailsProps) {
  return (
    <details className={styles.details}>
      <summary>{summary}</summary>
      <CodeBlock code={JSON.stringify(value, null, 2)} label={label} isBounded />
    </details>
  );
}
