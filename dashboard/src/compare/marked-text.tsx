import type { Piece } from './mark-words.ts';
import styles from './marked-text.module.css';

interface MarkedTextProps {
  readonly pieces: readonly Piece[];
  readonly change: 'removed' | 'added';
}

/** A text in which what changed is told apart by more than its color; all of it changed needs no marks within. */
export function MarkedText({ pieces, change }: MarkedTextProps) {
  const Tag = change === 'removed' ? 'del' : 'ins';
  const isWhole = pieces.length === 1;
  return pieces.map(({ text, isChanged }, index) =>
    isChanged ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text never move
      <Tag key={index} className={isWhole ? styles.whole : styles[change]}>
        {visible(text)}
      </Tag>
    ) : (
      text
    ),
  );
}

/** Of a line that ends in another way nothing else could be seen. */
function visible(text: string): string {
  return text.replaceAll('\r', '␍');
}
