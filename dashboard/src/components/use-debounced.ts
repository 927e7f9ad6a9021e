import { useEffect, useState } from 'react';

/** A debounced value and an ID for it. */
export interface Debounced<T> {
  readonly value: T;
  /** Unique per value across all components, so that it can identify the value in a query key. */
  readonly revision: number;
}

let lastRevision = 0;

/** Returns `value` once it has not changed for `pauseMs`. */
export function useDebounced<T>(value: T, pauseMs: number): Debounced<T> {
  const [debounced, setDebounced] = useState(() => next(value));
  useEffect(() => {
    if (Object.is(debounced.value, value)) return;
    const timer = setTimeout(() => setDebounced(next(value)), pauseMs);
    return () => clearTimeout(timer);
  }, [debounced, value, pauseMs]);
  return debounced;
}

function next<T>(value: T): Debounced<T> {
  lastRevision += 1;
  return { value, revision: lastRevision };
}
