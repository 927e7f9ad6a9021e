import styles from './loading.module.css';

/** A skeleton that reserves space, so that nothing jumps when the content arrives. */
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
