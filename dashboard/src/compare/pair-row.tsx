import { memo } from 'react';
import { classNames } from '../parts/class-names.ts';
import type { Line, LinePair } from './compare-lines.ts';
import styles from './line-diff.module.css';
import { markWords, type Piece } from './mark-words.ts';
import { MarkedText } from './marked-text.tsx';

interface PairRowProps {
  readonly pair: LinePair;
  /** Where somebody goes on reading who has just unfolded it. */
  readonly isFocused: boolean;
}

export const PairRow = memo(function PairRow({ pair: { from, to, isSame }, isFocused }: PairRowProps) {
  const words = isSame ? undefined : wordsIn(from, to);
  return (
    <tr
      className={isSame ? styles.same : styles.changed}
      {...(isFocused && { tabIndex: -1, ref: (row: HTMLTableRowElement | null) => row?.focus() })}
    >
      <Side line={from} pieces={words?.from} change={isSame ? undefined : 'removed'} />
      <Side line={to} pieces={words?.to} change={isSame ? undefined : 'added'} />
    </tr>
  );
});

function wordsIn(from: Line | undefined, to: Line | undefined) {
  if (from !== undefined && to !== undefined) return markWords(from.text, to.text);
  const whole = (line: Line | undefined): readonly Piece[] => [{ text: line?.text ?? '', isChanged: true }];
  return { from: whole(from), to: whole(to) };
}

interface SideProps {
  readonly line: Line | undefined;
  readonly pieces: readonly Piece[] | undefined;
  readonly change: 'removed' | 'added' | undefined;
}

function Side({ line, pieces, change }: SideProps) {
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
        {pieces === undefined || change === undefined ? (
          line.text
        ) : (
          <MarkedText pieces={pieces} change={change} />
        )}
      </td>
    </>
  );
}

function Sign({ change }: { readonly change: 'removed' | 'added' }) {
  return (
    <span className={styles.sign}>
      <span aria-hidden="true">{change === 'removed' ? '−' : '+'}</span>
      <span className="visually-hidden">{change === 'removed' ? 'Removed: ' : 'Added: '}</span>
    </span>
  );
}
