import { useEffect, useRef, useState } from 'react';
import { SelectField } from '../parts/select-field.tsx';
import { TextField } from '../parts/text-field.tsx';
import styles from './preset-filters.module.css';

interface PresetFiltersProps {
  readonly q: string;
  readonly status: string;
  readonly onSearch: (words: string) => void;
  readonly onStatus: (status: string) => void;
}

const statuses = [
  ['', 'Active and disabled'],
  ['active', 'Active'],
  ['disabled', 'Disabled'],
  ['archived', 'Archived'],
  ['all', 'All'],
] as const;

/** Long enough that a word in the making is not looked up letter by letter. */
const typingMs = 180;

export function PresetFilters({ q, status, onSearch, onStatus }: PresetFiltersProps) {
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

  return (
    <search className={styles.filters}>
      <TextField
        label="Search presets"
        isLabelHidden
        type="search"
        value={words}
        onChange={setWords}
        placeholder="Search slug, name and description"
        maxLength={200}
      />
      <SelectField
        label="Status"
        isLabelHidden
        value={statuses.find(([value]) => value === status)?.[0] ?? ''}
        options={statuses}
        onChange={onStatus}
      />
    </search>
  );
}
