import { type ComponentType, type ReactNode, useEffect, useState } from 'react';
import { classNames } from './class-names.ts';
import styles from './loading.module.css';
import { serverIsBack } from './server-connection.ts';

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
      <Lines count={lines} />
    </div>
  );
}

/** A page that is loading: its title, a button and a list in a panel. */
export function PageSkeleton({ label = 'Loading' }: { readonly label?: string }) {
  return (
    <Skeleton label={label}>
      <Header />
      <div className={styles.panel}>
        <div className={styles.toolbar}>
          <span className={classNames(styles.line, styles.field)} />
        </div>
        {Array.from({ length: 8 }, (_, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all the same
          <div key={row} className={styles.row}>
            <span className={styles.line} />
            <span className={styles.line} />
            <span className={styles.line} />
          </div>
        ))}
      </div>
    </Skeleton>
  );
}

/** A title and a button. */
function Header() {
  return (
    <div className={styles.header}>
      <span className={classNames(styles.line, styles.title)} />
      <span className={classNames(styles.line, styles.button)} />
    </div>
  );
}

/** The page of a preset that is loading: title, tabs and the parts of the workbench. */
export function PresetSkeleton({ label = 'Loading preset' }: { readonly label?: string }) {
  return (
    <Skeleton label={label}>
      <Header />
      <div className={styles.tabs}>
        {['first', 'second', 'third', 'fourth'].map((tab) => (
          <span key={tab} className={styles.line} />
        ))}
      </div>
      <Columns />
    </Skeleton>
  );
}

/** The parts of the workbench. */
export function WorkbenchSkeleton({ label = 'Loading workbench' }: { readonly label?: string }) {
  return (
    <Skeleton label={label}>
      <Columns />
    </Skeleton>
  );
}

function Columns() {
  return (
    <div className={styles.columns}>
      {['prompt', 'settings', 'run'].map((part) => (
        <div key={part} className={classNames(styles.panel, styles.part)}>
          <Lines count={9} />
        </div>
      ))}
    </div>
  );
}

function Skeleton({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div role="status" aria-label={label} className={styles.page}>
      {children}
    </div>
  );
}

function Lines({ count }: { readonly count: number }) {
  return Array.from({ length: count }, (_, line) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all the same
    <span key={line} className={styles.line} />
  ));
}

/**
 * A component that loads when it is first rendered. Unlike `React.lazy`, it shows the component as
 * soon as it arrives: Suspense throttles reveals by 300 ms, and nested pages would wait twice.
 * `Placeholder` is shown until then, in the shape of what is loading, also while the server cannot
 * be reached.
 */
export function lazyComponent<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Placeholder: ComponentType = Loading,
) {
  let loaded: ComponentType<Props> | undefined;
  return function LazyComponent(props: Props) {
    const [Part, setPart] = useState(() => loaded);
    const [failure, setFailure] = useState<{ readonly error: unknown }>();
    useEffect(() => {
      if (loaded !== undefined) return;
      let isShown = true;
      load().then(
        (part) => {
          loaded = part;
          setPart(() => part);
        },
        async (error: unknown) => {
          const wasUnreachable = await serverIsBack();
          if (!isShown) return;
          // Browsers remember until then that a module failed to load. Drafts survive it.
          if (wasUnreachable) window.location.reload();
          else setFailure({ error });
        },
      );
      return () => {
        isShown = false;
      };
    }, []);
    // Handled by `ErrorBoundary`, which offers to reload.
    if (failure !== undefined) throw failure.error;
    return Part === undefined ? <Placeholder /> : <Part {...props} />;
  };
}
