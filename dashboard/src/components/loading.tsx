import { type ComponentType, useEffect, useState } from 'react';
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

/**
 * A component that loads when it is first rendered. Unlike `React.lazy`, it shows the component as
 * soon as it arrives: Suspense throttles reveals by 300 ms, and nested pages would wait twice.
 */
export function lazyComponent<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  /** Shown until it has arrived. */
  Skeleton: ComponentType = Loading,
) {
  let loaded: ComponentType<Props> | undefined;
  return function LazyComponent(props: Props) {
    const [Part, setPart] = useState(() => loaded);
    const [failure, setFailure] = useState<{ readonly error: unknown }>();
    useEffect(() => {
      if (loaded !== undefined) return;
      load().then(
        (part) => {
          loaded = part;
          setPart(() => part);
        },
        (error: unknown) => setFailure({ error }),
      );
    }, []);
    // Handled by `ErrorBoundary`, which offers to reload.
    if (failure !== undefined) throw failure.error;
    return Part === undefined ? <Skeleton /> : <Part {...props} />;
  };
}
