import { useMemo, useState } from 'react';
import { Button } from '../parts/button.tsx';
import { classNames } from '../parts/class-names.ts';
import { compareLines } from './compare-lines.ts';
import { foldLines } from './fold-lines.ts';
import styles from './line-diff.module.css';
import { PairRow } from './pair-row.tsx';

interface LineDiffProps {
  readonly label: string;
  readonly from: string;
  readonly to: string;
  /** What stands above the two sides. */
  readonly titles: readonly [from: string, to: string];
  /** Within a table that has titles of its own, and where nobody asks for the number of a line. */
  readonly isPlain?: boolean;
}

/** More lines at once would make the page slow. */
const rowsAtOnce = 400;

/** Two texts side by side, or below each other where there is no room; what is far from every change is folded. */
export function LineDiff({ label, from, to, titles, isPlain = false }: LineDiffProps) {
  const { stretches, isCoarse } = useMemo(() => {
    const { pairs, isCoarse } = compareLines(from, to);
    return { stretches: foldLines(pairs), isCoarse };
  }, [from, to]);
  const [opened, setOpened] = useState<readonly number[]>([]);
  const [rowsMax, setRowsMax] = useState(rowsAtOnce);
  const rows = stretches.flatMap(({ isFolded, pairs }, index) => {
    if (isFolded && !opened.includes(index))
      return [
        <FoldRow
          key={`fold at ${pairs[0]?.to?.number}`}
          count={pairs.length}
          onOpen={() => setOpened((all) => [...all, index])}
        />,
      ];
    return pairs.map((pair, at) => (
      <PairRow
        key={`${pair.from?.number} ${pair.to?.number}`}
        pair={pair}
        isFocused={isFolded && at === 0 && opened.at(-1) === index}
      />
    ));
  });
  const hidden = rows.length - rowsMax;
  return (
    <div className={classNames(styles.room, !isPlain && styles.frame)}>
      {isCoarse && (
        <p className="muted">
          Too many lines changed to compare in detail. All lines between the first and the last change are
          shown as changed.
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
                  Show {Math.min(hidden, rowsAtOnce)} of {hidden.toLocaleString('en-US')} more lines
                </Button>
              </td>
            </tr>
          )}
        </tbody>
      </table>
    </div>
  );
}

function FoldRow({ count, onOpen }: { readonly count: number; readonly onOpen: () => void }) {
  return (
    <tr className={styles.fold}>
      <td colSpan={4}>
        <Button isSmall variant="quiet" onClick={onOpen}>
          Show {count.toLocaleString('en-US')} unchanged lines
        </Button>
      </td>
    </tr>
  );
}
