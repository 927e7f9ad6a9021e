import styles from './data-table.module.css';

const rowCount = 8;

/** Rows without text, as high as those that are loading, so that nothing jumps. */
export function TableSkeleton({
  label,
  columnCount,
}: {
  readonly label: string;
  readonly columnCount: number;
}) {
  return (
    <div role="status" aria-label={label} className={styles.skeleton}>
      {Array.from({ length: rowCount }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all the same
        <div key={row} className={styles.skeletonRow}>
          {Array.from({ length: columnCount }, (__, column) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the cells are all the same
            <span key={column} />
          ))}
        </div>
      ))}
    </div>
  );
}
