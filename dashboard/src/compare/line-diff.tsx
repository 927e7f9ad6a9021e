import { useMemo, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { classNames } from '../ui/class-names.ts';
import { formatNumber } from '../ui/format-number.ts';
import { compareLines } from './compare-lines.ts';
import { foldLines } from './fold-lines.ts';
import styles from './line-diff.module.css';
import { LinePairRow } from './line-pair-row.tsx';

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
      <table className={classNames(styles.table, isPlain && styles.plain)} aria-label={label}>
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
