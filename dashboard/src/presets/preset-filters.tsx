import { SearchField } from '../ui/search-field.tsx';
import { SelectField } from '../ui/select-field.tsx';
import styles from './preset-filters.module.css';

interface PresetFiltersProps {
  readonly q: string;
  readonly status: string;
  readonly onSearch: (q: string) => void;
  readonly onStatus: (status: string) => void;
}

const statuses = [
  ['', 'Active and disabled'],
  ['active', 'Active'],
  ['disabled', 'Disabled'],
  ['archived', 'Archived'],
  ['all', 'All'],
] as const;

export function PresetFilters({ q, status, onSearch, onStatus }: PresetFiltersProps) {
  return (
    <search className={styles.filters}>
      <SearchField
        label="Search presets"
        placeholder="Search by slug, name or description"
        maxLength={200}
        q={q}
        onSearch={onSearch}
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
