import { Plus } from 'lucide-react';
import { type StatusFilter, usePresets } from '../../api/presets.ts';
import { useSession } from '../../api/session.ts';
import { Button, ButtonLink } from '../../components/button.tsx';
import { SearchField, SelectField } from '../../components/fields.tsx';
import { EmptyState } from '../../components/notice.tsx';
import { Page, Panel } from '../../components/page.tsx';
import { PagedList } from '../../components/paged-list.tsx';
import { useUrlParams } from '../../components/use-url-params.ts';
import { FirstPreset } from './first-preset.tsx';
import { PresetTable } from './preset-table.tsx';
import styles from './presets.module.css';

const limit = 50;

/** The list of presets. Search, filter and page are in the URL, so that they can be shared. */
export function PresetsPage() {
  const { value, offset, change } = useUrlParams();
  const { canWrite } = useSession();
  const q = value('q');
  // The URL may have any other value. The server rejects it.
  const status = value('status') as StatusFilter;
  const query = usePresets({ q, status, offset, limit });

  // Replaces the history entry: Back should leave the search, not undo it letter by letter.
  const filter = (values: Readonly<Record<string, string>>) =>
    change({ ...values, offset: '' }, { replace: true });
  const isFiltered = q !== '' || status !== '';
  const isEmpty = !isFiltered && query.data?.total_count === 0;

  return (
    <Page
      title="Presets"
      actions={
        canWrite && (
          <ButtonLink href="/new" variant="primary">
            <Plus aria-hidden="true" />
            New preset
          </ButtonLink>
        )
      }
    >
      {isEmpty ? (
        <FirstPreset />
      ) : (
        <Panel isFlush>
          <PresetFilters
            q={q}
            status={status}
            onSearch={(next) => filter({ q: next })}
            onStatus={(next) => filter({ status: next })}
          />
          <PagedList
            query={query}
            limit={limit}
            isTotalExact={query.data?.total_count_exact}
            one="preset"
            lines={8}
            empty={
              <EmptyState title="No matching presets">
                <Button onClick={() => filter({ q: '', status: '' })}>Clear filters</Button>
              </EmptyState>
            }
          >
            {(presets, isStale) => <PresetTable presets={presets} isStale={isStale} />}
          </PagedList>
        </Panel>
      )}
    </Page>
  );
}

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

function PresetFilters({ q, status, onSearch, onStatus }: PresetFiltersProps) {
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
