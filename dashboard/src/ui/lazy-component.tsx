import { type ComponentType, useEffect, useState } from 'react';
import { Loading } from './loading.tsx';

/**
 * A component that loads when it is first rendered. Unlike `React.lazy`, it shows the component as
 * soon as it arrives: Suspense throttles reveals by 300 ms, and nested pages would wait twice.
 */
export function lazyComponent<Props extends object>(load: () => Promise<ComponentType<Props>>) {
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
    return Part === undefined ? <Loading /> : <Part {...props} />;
  };
}
