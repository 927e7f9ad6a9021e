import styles from './code-block.module.css';
import { CopyButton } from './copy-button.tsx';
import { Expandable } from './expandable.tsx';

interface CodeBlockProps {
  readonly code: string;
  /** Accessible name, also used by the copy button. */
  readonly label: string;
  /** Wraps long lines instead of scrolling sideways. */
  readonly isWrapped?: boolean;
  /** Text to copy if it differs from what is shown, such as a command with the full key. */
  readonly copyText?: string;
  /** Limits the height, with a button to expand. */
  readonly isBounded?: boolean;
}

/** Preformatted text with a copy button. */
export function CodeBlock({
  code,
  label,
  isWrapped = false,
  copyText = code,
  isBounded = false,
}: CodeBlockProps) {
  const className = isWrapped ? styles.wrapped : styles.code;
  const text = (
    <pre>
      <code>{code}</code>
    </pre>
  );
  return (
    <figure className={styles.block}>
      <div className={styles.frame}>
        {isBounded ? (
          <Expandable label={label} className={className}>
            {text}
          </Expandable>
        ) : (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard
          <section className={className} tabIndex={0} aria-label={label}>
            {text}
          </section>
        )}
      </div>
      <div className={styles.copy}>
        <CopyButton text={copyText} what={label} />
      </div>
    </figure>
  );
}
