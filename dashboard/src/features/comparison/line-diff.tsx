import { memo, useMemo, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { classNames } from '../../components/class-names.ts';
import { formatNumber } from '../../components/text.ts';
import styles from './compare.module.css';
import { compareLines, foldLines, type Line, type LinePair } from './compare-lines.ts';
import { markWords, type Segment } from './mark-words.ts';

interface LineDiffProps {
  readonly label: string;
  readonly from: string;
  readonly to: string;
  /** Column headings. */
  readonly titles: readonly [from: string, to: string];
  /** Inside a table with its own headings, where line numbers would be noise. */
  readonly isPlain?: boolean;
}

/** Rendering more rows at once would make the page sluggish. */
const rowsAtOnce = 400;

/** A side-by-side diff, stacked on narrow screens. Lines far from every change are folded. */
export function LineDiff({ label, from, to, titles, isPlain = false }: LineDiffProps) {
  const { sections, isCoarse } = useMemo(() => {
    const { pairs, isCoarse } = compareLines(from, to);
    return { sections: foldLines(pairs), isCoarse };
  }, [from, to]);
  const [unfolded, setUnfolded] = useState<readonly number[]>([]);
  const [rowsMax, setRowsMax] = useState(rowsAtOnce);
  const rows = sections.flatMap(({ isFolded, pairs }, index) => {
    if (isFolded && !unfolded.includes(index))
      return [
        <FoldRow
          key={`fold at ${pairs[0]?.to?.number}`}
          count={pairs.length}
          onUnfold={() => setUnfolded((all) => [...all, index])}
        />,
      ];
    return pairs.map((pair, at) => (
      <LinePairRow
        key={`${pair.from?.number} ${pair.to?.number}`}
        pair={pair}
        isFocused={isFolded && at === 0 && unfolded.at(-1) === index}
      />
    ));
  });
  // Folds count as one row, so that a long unchanged text costs nothing.
  const hidden = rows.length - rowsMax;
  return (
    <div className={classNames(styles.room, !isPlain && styles.frame)}>
      {isCoarse && (
        <p className="muted">
          Too many lines changed to compare in detail. Everything between the first and last change is shown
          as changed.
        </p>
      )}
      <table className={classNames(styles.lineTable, isPlain && styles.plain)} aria-label={label}>
        <colgroup>
          <col className={styles.numbers} />
          <col />
          <col className={styles.numbers} />
          <col />
        </colgroup>
        <thead className={isPlain ? 'visually-hidden' : undefined}>
          <tr>
            {titles.map((title) => (
              <th key={title} scope="colgroup" colSpan={2}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, rowsMax)}
          {hidden > 0 && (
            <tr className={styles.fold}>
              <td colSpan={4}>
                <Button isSmall variant="quiet" onClick={() => setRowsMax((max) => max + rowsAtOnce)}>
                  Show {Math.min(hidden, rowsAtOnce)} of {formatNumber(hidden)} more lines
                </Button>
              </td>
            </tr>
          )}
        </tbody>
      </table>
    </div>
  );
}

/** Stands for folded lines; pressing it shows them. */
function FoldRow({ count, onUnfold }: { readonly count: number; readonly onUnfold: () => void }) {
  return (
    <tr className={styles.fold}>
      <td colSpan={4}>
        <Button isSmall variant="quiet" onClick={onUnfold}>
          Show {formatNumber(count)} unchanged lines
        </Button>
      </td>
    </tr>
  );
}

interface LinePairRowProps {
  readonly pair: LinePair;
  /** The first row of an unfolded section, where keyboard users continue. */
  readonly isFocused: boolean;
}

/** Memoized: unfolding a section must not rerender hundreds of rows. */
const LinePairRow = memo(function PairRow({ pair: { from, to, isSame }, isFocused }: LinePairRowProps) {
  const words = isSame ? undefined : wordsIn(from, to);
  return (
    <tr
      className={isSame ? styles.same : undefined}
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
      <Tag key={index} className={isWhole ? styles.wholeText : markClass[change]}>
        {visible(text)}
      </Tag>
    ) : (
      text
    ),
  );
}

const markClass = { removed: styles.removedWords, added: styles.addedWords } as const;

/** Shows carriage returns, which may be the only change in a line. */
function visible(text: string): string {
  return text.replaceAll('\r', '␍');
}
