import { useEffect, useState } from 'react';

export interface Debounced<T> {
  readonly value: T;
  /** Another one for every value, also on another page. */
  readonly revision: number;
}

let lastRevision = 0;

/** A value that changes with every key that is pressed, once it has stayed the same for a moment. */
export function useDebounced<T>(value: T, pauseMs: number): Debounced<T> {
  const [settled, setSettled] = useState(() => next(value));
  useEffect(() => {
    if (Object.is(settled.value, value)) return;
    const timer = setTimeout(() => setSettled(next(value)), pauseMs);
    return () => clearTimeout(timer);
  }, [settled, value, pauseMs]);
  return settled;
}

function next<T>(value: T): Debounced<T> {
  lastRevision += 1;
  return { value, revision: lastRevision };
}
