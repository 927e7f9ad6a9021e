import styles from './code-block.module.css';
import { CopyButton } from './copy-button.tsx';
import { Expandable } from './expandable.tsx';

interface CodeBlockProps {
  readonly code: string;
  /** What it is, for those who hear it and for the button that copies it. */
  readonly label: string;
  /** Long lines go on in the next one, instead of to the side. */
  readonly isWrapped?: boolean;
  /** What is copied, where it is not what is shown: a secret stands there shortened. */
  readonly copied?: string;
  /** Does not push away what follows where it is very long. */
  readonly isBounded?: boolean;
}

/** Text to be read as it is, and copied. */
export function CodeBlock({
  code,
  label,
  isWrapped = false,
  copied = code,
  isBounded = false,
}: CodeBlockProps) {
  const look = isWrapped ? styles.wrapped : styles.code;
  const text = (
    <pre>
      <code>{code}</code>
    </pre>
  );
  return (
    <figure className={styles.block}>
      <div className={styles.frame}>
        {isBounded ? (
          <Expandable label={label} className={look}>
            {text}
          </Expandable>
        ) : (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard
          <section className={look} tabIndex={0} aria-label={label}>
            {text}
          </section>
        )}
      </div>
      <div className={styles.copy}>
        <CopyButton text={copied} what={label} />
      </div>
    </figure>
  );
}
