import { memo } from 'react';
import { classNames } from '../ui/class-names.ts';
import type { Line, LinePair } from './compare-lines.ts';
import styles from './line-diff.module.css';
import { markWords, type Segment } from './mark-words.ts';
import { MarkedText } from './marked-text.tsx';

interface LinePairRowProps {
  readonly pair: LinePair;
  /** The first row of an unfolded section, where keyboard users continue. */
  readonly isFocused: boolean;
}

/** Memoized: unfolding a section must not rerender hundreds of rows. */
export const LinePairRow = memo(function PairRow({
  pair: { from, to, isSame },
  isFocused,
}: LinePairRowProps) {
  const words = isSame ? undefined : wordsIn(from, to);
  return (
    <tr
      className={isSame ? styles.same : styles.changed}
      {...(isFocused && { tabIndex: -1, ref: (row: HTMLTableRowElement | null) => row?.focus() })}
    >
      <Side line={from} segments={words?.from} change={isSame ? undefined : 'removed'} />
      <Side line={to} segments={words?.to} change={isSame ? undefined : 'added'} />
    </tr>
  );
});

/** Marks words if both sides have a line, and otherwise the whole line. */
function wordsIn(from: Line | undefined, to: Line | undefined) {
  if (from !== undefined && to !== undefined) return markWords(from.text, to.text);
  const whole = (line: Line | undefined): readonly Segment[] => [{ text: line?.text ?? '', isChanged: true }];
  return { from: whole(from), to: whole(to) };
}

interface SideProps {
  readonly line: Line | undefined;
  readonly segments: readonly Segment[] | undefined;
  readonly change: 'removed' | 'added' | undefined;
}

/** One side of the row; empty if the line exists only on the other side. */
function Side({ line, segments, change }: SideProps) {
  if (line === undefined)
    return (
      <>
        <td className={classNames(styles.number, styles.absent)} />
        <td className={classNames(styles.text, styles.absent)} />
      </>
    );
  return (
    <>
      <td className={classNames(styles.number, change && styles[change])}>{line.number}</td>
      <td className={classNames(styles.text, change && styles[change])}>
        {change && <Sign change={change} />}
        {segments === undefined || change === undefined ? (
          line.text
        ) : (
          <MarkedText segments={segments} change={change} />
        )}
      </td>
    </>
  );
}

/** Plus or minus, spelled out for screen readers. */
function Sign({ change }: { readonly change: 'removed' | 'added' }) {
  return (
    <span className={styles.sign}>
      <span aria-hidden="true">{change === 'removed' ? '−' : '+'}</span>
      <span className="visually-hidden">{change === 'removed' ? 'Removed: ' : 'Added: '}</span>
    </span>
  );
}
