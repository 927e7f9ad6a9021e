import { useEffect, useState } from 'react';
import { SelectField } from '../../parts/select-field.tsx';
import { TextField } from '../../parts/text-field.tsx';
import styles from '../organization.module.css';
import { type AuditFilter, kindOptions } from './audit-filter.ts';

interface AuditFiltersProps {
  readonly filter: AuditFilter;
  readonly onChange: (changed: Partial<Record<keyof AuditFilter, string>>) => void;
}

/** Who is meant counts once the address or id is complete: by Enter, or by leaving the field. */
export function AuditFilters({ filter, onChange }: AuditFiltersProps) {
  const [actor, setActor] = useState(filter.actor);
  // Back and forward, and a filter that is cleared, change it from outside.
  useEffect(() => setActor(filter.actor), [filter.actor]);
  const apply = () => {
    if (actor.trim() !== filter.actor) onChange({ actor: actor.trim() });
  };
  return (
    <search>
      <form
        className={styles.filters}
        onSubmit={(event) => {
          event.preventDefault();
          apply();
        }}
      >
        {/* biome-ignore lint/a11y/noStaticElementInteractions: it only hears that the field inside is left */}
        <div className={styles.grow} onBlur={apply}>
          <TextField
            label="Who"
            type="search"
            value={actor}
            onChange={setActor}
            placeholder="E-mail address or id, then Enter"
            maxLength={300}
          />
        </div>
        <SelectField
          label="What"
          value={kindOptions.find(([value]) => value === filter.kind)?.[0] ?? ''}
          options={kindOptions}
          onChange={(kind) => onChange({ kind })}
        />
        <TextField label="From" type="date" value={filter.since} onChange={(since) => onChange({ since })} />
        <TextField label="To" type="date" value={filter.until} onChange={(until) => onChange({ until })} />
      </form>
    </search>
  );
}
