import { type ComponentType, useEffect, useState } from 'react';
import { Loading } from './loading.tsx';

/**
 * A part of the pages that is loaded when it is first shown. React's own way waits a third of a second before it shows
 * what has come, so that nothing flickers; here two of them often follow each other.
 */
export function loadedLater<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  let loaded: ComponentType<Props> | undefined;
  return function LoadedLater(props: Props) {
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
    // For the page that tells of defects, which offers to load everything again.
    if (failure !== undefined) throw failure.error;
    return Part === undefined ? <Loading /> : <Part {...props} />;
  };
}
