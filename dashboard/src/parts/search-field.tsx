import { useEffect, useRef, useState } from 'react';
import { TextField } from './text-field.tsx';

interface SearchFieldProps {
  readonly label: string;
  readonly placeholder: string;
  readonly maxLength: number;
  /** The words that are searched for now. */
  readonly q: string;
  readonly onSearch: (words: string) => void;
}

/** Long enough that a word in the making is not looked up letter by letter. */
const typingMs = 180;

/** Searches while somebody types. */
export function SearchField({ q, onSearch, ...field }: SearchFieldProps) {
  const [words, setWords] = useState(q);
  const search = useRef(onSearch);
  search.current = onSearch;
  // Back and forward, and a filter that is cleared, change the words from outside.
  useEffect(() => setWords((typed) => (typed.trim() === q ? typed : q)), [q]);
  useEffect(() => {
    if (words.trim() === q) return;
    const timer = setTimeout(() => search.current(words.trim()), typingMs);
    return () => clearTimeout(timer);
  }, [words, q]);
  return <TextField {...field} isLabelHidden type="search" value={words} onChange={setWords} />;
}
