import { ChevronDown, ChevronUp } from 'lucide-react';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { classNames } from './class-names.ts';
import styles from './code-block.module.css';
import type { Highlight } from './code-highlight.ts';
import { CopyButton } from './copy-button.tsx';

interface CodeBlockProps {
  readonly code: string;
  /** Accessible name, also used by the copy button. */
  readonly label: string;
  /** Colors the code: one of those in `code-highlight.ts`. */
  readonly highlight?: Highlight;
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
  highlight,
  isWrapped = false,
  copyText = code,
  isBounded = false,
}: CodeBlockProps) {
  const className = isWrapped ? styles.wrapped : styles.code;
  const text = (
    <pre>
      <code>{highlight === undefined ? code : <HighlightedCode code={code} highlight={highlight} />}</code>
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

function HighlightedCode({ code, highlight }: Required<Pick<CodeBlockProps, 'code' | 'highlight'>>) {
  const parts = useMemo(() => highlight(code), [code, highlight]);
  return parts.map(({ text, kind }, index) =>
    kind === undefined ? (
      text
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts have no other identity, and no state
      <span key={index} className={styles[kind]}>
        {text}
      </span>
    ),
  );
}

interface ExpandableProps {
  /** Accessible name. */
  readonly label: string;
  readonly className?: string | undefined;
  /** A function may render less until the box is expanded, for texts that are slow to lay out. */
  readonly children: ReactNode | ((isExpanded: boolean) => ReactNode);
}

/**
 * A box of limited height for content of any length. Content that overflows scrolls, fades out at
 * the bottom and gets a button that expands the box. The surrounding style sheet may set
 * `--expandable-height`, and `--expandable-surface` to the color behind the text.
 */
export function Expandable({ label, className, children }: ExpandableProps) {
  const box = useRef<HTMLElement>(null);
  const [isOverflowing, setIsOverflowing] = useState(false);
  const [isExpanded, setIsExpanded] = useState(false);
  const measure = () => {
    if (box.current === null || isExpanded) return;
    setIsOverflowing(box.current.scrollHeight > box.current.clientHeight + 1);
  };

  // After every render, since new content may need more or less room.
  useEffect(measure);
  const measureNow = useRef(measure);
  measureNow.current = measure;
  useEffect(() => {
    if (box.current === null) return;
    const observer = new ResizeObserver(() => measureNow.current());
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  // Collapsing moves the end of the content up, so scroll back to the box.
  const collapse = () => {
    setIsExpanded(false);
    requestAnimationFrame(() => box.current?.scrollIntoView({ block: 'nearest' }));
  };

  // Once expanded nothing overflows any more, so the last measurement decides about the button.
  const isClosed = isOverflowing && !isExpanded;
  return (
    <div className={styles.expandable}>
      <section
        ref={box}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard
        tabIndex={0}
        aria-label={label}
        className={classNames(
          'scrollbar',
          styles.box,
          !isExpanded && styles.bounded,
          isClosed && styles.fading,
          className,
        )}
      >
        {typeof children === 'function' ? children(isExpanded) : children}
      </section>
      {isOverflowing && (
        <button
          type="button"
          className={styles.toggle}
          aria-expanded={isExpanded}
          onClick={isExpanded ? collapse : () => setIsExpanded(true)}
        >
          {isExpanded ? <ChevronUp aria-hidden="true" /> : <ChevronDown aria-hidden="true" />}
          {isExpanded ? 'Show less' : 'Show all'}
          <span className="visually-hidden"> of {label}</span>
        </button>
      )}
    </div>
  );
}
