import { Plus } from 'lucide-react';
import { useRef } from 'react';
import { type StatusFilter, usePresets } from '../../api/presets.ts';
import { useSession } from '../../api/session.ts';
import { Button, ButtonLink } from '../../components/button.tsx';
import { TagChip } from '../../components/chip.tsx';
import { SearchField, SelectField } from '../../components/fields.tsx';
import { EmptyState } from '../../components/notice.tsx';
import { Page, Panel } from '../../components/page.tsx';
import { PagedList } from '../../components/paged-list.tsx';
import { TagField } from '../../components/tag-field.tsx';
import { useUrlParams } from '../../components/use-url-params.ts';
import { FirstPreset } from './first-preset.tsx';
import { PresetTable } from './preset-table.tsx';
import styles from './presets.module.css';

const limit = 50;

/** The list of presets. Search, filter and page are in the URL, so that they can be shared. */
export function PresetsPage() {
  const { value, offset, change, hrefWith } = useUrlParams();
  const { may } = useSession();
  const q = value('q');
  // The URL may have any other value. The server rejects it.
  const status = value('status') as StatusFilter;
  const tag = value('tag');
  const tags = [...new Set(tag.split(',').filter(Boolean))];
  const query = usePresets({ q, tag, status, offset, limit });

  // Replaces the history entry: Back should leave the search, not undo it letter by letter.
  const filter = (values: Readonly<Record<string, string>>) =>
    change({ ...values, offset: '' }, { replace: true });
  // A new entry, like a click on a tag in a row: Back removes the tag.
  const setTags = (next: readonly string[]) => change({ tag: next.join(), offset: '' });
  const tagHref = (added: string) => hrefWith({ tag: [...new Set([...tags, added])].join(), offset: '' });
  const isFiltered = q !== '' || tag !== '' || status !== '';
  const isEmpty = !isFiltered && query.data?.total_count === 0;

  return (
    <Page
      title="Presets"
      actions={
        may('write') && (
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
            tags={tags}
            status={status}
            onSearch={(next) => filter({ q: next })}
            onTags={setTags}
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
                <Button onClick={() => filter({ q: '', tag: '', status: '' })}>Clear filters</Button>
              </EmptyState>
            }
          >
            {(presets, isStale) => <PresetTable presets={presets} isStale={isStale} tagHref={tagHref} />}
          </PagedList>
        </Panel>
      )}
    </Page>
  );
}

interface PresetFiltersProps {
  readonly q: string;
  /** A preset must have all of them. */
  readonly tags: readonly string[];
  readonly status: string;
  readonly onSearch: (q: string) => void;
  readonly onTags: (tags: readonly string[]) => void;
  readonly onStatus: (status: string) => void;
}

const statuses = [
  ['', 'Active and disabled'],
  ['active', 'Active'],
  ['disabled', 'Disabled'],
  ['archived', 'Archived'],
  ['all', 'All'],
] as const;

function PresetFilters({ q, tags, status, onSearch, onTags, onStatus }: PresetFiltersProps) {
  const filters = useRef<HTMLElement>(null);
  const remove = (tag: string) => {
    onTags(tags.filter((other) => other !== tag));
    // The pressed button is gone.
    filters.current?.focus({ preventScroll: true });
  };
  return (
    <search ref={filters} className={styles.filters} aria-label="Filters" tabIndex={-1}>
      <div className={styles.search}>
        <SearchField
          label="Search presets"
          placeholder="Search by name, slug, prompt, note or model"
          maxLength={200}
          q={q}
          onSearch={onSearch}
        />
      </div>
      <TagField
        label="Filter by tag"
        placeholder="Tag, then Enter"
        tags={tags}
        onAdd={async (tag) => {
          onTags([...tags, tag]);
          return true;
        }}
      />
      <SelectField
        label="Status"
        isLabelHidden
        value={statuses.find(([value]) => value === status)?.[0] ?? ''}
        options={statuses}
        onChange={onStatus}
      />
      {tags.length > 0 && (
        <div className={styles.tagFilter}>
          <span className="note">Tagged</span>
          {tags.map((tag) => (
            <TagChip
              key={tag}
              tag={tag}
              remove={{ label: `Remove filter ${tag}`, onClick: () => remove(tag) }}
            />
          ))}
        </div>
      )}
    </search>
  );
}
