import { useEffect, useRef, useState } from 'react';
import { TextField } from './text-field.tsx';

interface SearchFieldProps {
  readonly label: string;
  readonly placeholder: string;
  readonly maxLength: number;
  /** The current search, from the URL. */
  readonly q: string;
  /** Called after a short pause, with the trimmed text. */
  readonly onSearch: (q: string) => void;
}

/** Debounce: shorter than a pause, longer than the gap between keystrokes. */
const debounceMs = 180;

/** Searches while the user types. */
export function SearchField({ q, onSearch, ...field }: SearchFieldProps) {
  const [text, setText] = useState(q);
  const search = useRef(onSearch);
  search.current = onSearch;
  // Back, forward and "Clear filters" change the search from outside.
  useEffect(() => setText((typed) => (typed.trim() === q ? typed : q)), [q]);
  useEffect(() => {
    if (text.trim() === q) return;
    const timer = setTimeout(() => search.current(text.trim()), debounceMs);
    return () => clearTimeout(timer);
  }, [text, q]);
  return <TextField {...field} isLabelHidden type="search" value={text} onChange={setText} />;
}
