import { Hash, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import styles from './chip.module.css';

interface ChipProps {
  readonly children: ReactNode;
  /** Shows a button at the end of the chip. */
  readonly remove?: Removal | undefined;
}

interface Removal {
  /** Accessible name of the button, such as "Remove tag support". */
  readonly label: string;
  readonly onClick: () => void;
}

/** A short value that belongs to something, such as a tag or an alias. */
export function Chip({ children, remove }: ChipProps) {
  return (
    <span className={styles.chip}>
      <span className={styles.text}>{children}</span>
      {remove && (
        <button
          type="button"
          className={styles.remove}
          aria-label={remove.label}
          title={remove.label}
          onClick={remove.onClick}
        >
          <X aria-hidden="true" />
        </button>
      )}
    </span>
  );
}

interface TagChipProps extends Omit<ChipProps, 'children'> {
  readonly tag: string;
  /** Where a click on the tag leads. */
  readonly href?: string;
}

/** A tag. The sign in front of it tells it from a label. */
export function TagChip({ tag, href, remove }: TagChipProps) {
  const content = (
    <>
      <Hash aria-hidden="true" className={styles.hash} />
      {tag}
    </>
  );
  return (
    <Chip remove={remove}>
      {href === undefined ? (
        content
      ) : (
        <Link href={href} className={styles.link} title={`Show presets tagged ${tag}`}>
          {content}
        </Link>
      )}
    </Chip>
  );
}
