import type { Segment } from './mark-words.ts';
import styles from './marked-text.module.css';

interface MarkedTextProps {
  readonly segments: readonly Segment[];
  readonly change: 'removed' | 'added';
}

/**
 * Highlights changed segments with `del` and `ins`, so that they differ not only in color. A text
 * that changed entirely needs no marks.
 */
export function MarkedText({ segments, change }: MarkedTextProps) {
  const Tag = change === 'removed' ? 'del' : 'ins';
  const isWhole = segments.length === 1;
  return segments.map(({ text, isChanged }, index) =>
    isChanged ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the segments of a text never move
      <Tag key={index} className={isWhole ? styles.whole : styles[change]}>
        {visible(text)}
      </Tag>
    ) : (
      text
    ),
  );
}

/** Shows carriage returns, which may be the only change in a line. */
function visible(text: string): string {
  return text.replaceAll('\r', '␍');
}
