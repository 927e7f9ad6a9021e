import styles from './loading.module.css';

/** Grey lines in the place of what is on its way, so that nothing jumps when it comes. */
export function Loading({
  lines = 5,
  label = 'Loading',
}: {
  readonly lines?: number;
  readonly label?: string;
}) {
  return (
    <div className={styles.loading} role="status" aria-label={label}>
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all the same
        <span key={line} className={styles.line} />
      ))}
    </div>
  );
}
