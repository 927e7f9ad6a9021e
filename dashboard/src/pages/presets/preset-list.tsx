import { SlidersHorizontal } from 'lucide-react';
import { type KeyboardEvent, useRef, useState } from 'react';
import type { PresetSummary } from '../../../../src/api/presets.ts';
import { usePersonalLists, withFavoriteToggled } from '../../api/personal-lists.ts';
import type { RowSource } from '../../api/row-source.ts';
import { useSession } from '../../api/session.ts';
import { Button } from '../../components/button.tsx';
import { useCommands } from '../../components/commands.ts';
import type { Facet as TableFacet } from '../../components/data-table/column.ts';
import { DataTable } from '../../components/data-table/data-table.tsx';
import { formatNumber } from '../../components/text.ts';
import { useUrlParams } from '../../components/use-url-params.ts';
import { BulkActions } from './bulk/bulk-actions.tsx';
import { presetsMax } from './load-presets.ts';
import { presetColumns } from './preset-columns.tsx';
import type { Facet, Facets, PresetFilter } from './preset-filter.ts';
import styles from './presets.module.css';
import { TagFilter } from './tag-filter.tsx';
import type { usePresetList } from './use-preset-list.ts';

interface PresetListProps {
  readonly filter: PresetFilter;
  readonly list: ReturnType<typeof usePresetList>;
}

/** The table of presets with its filters. */
export function PresetList({ filter, list }: PresetListProps) {
  const { account, may } = useSession();
  const { change: changeUrl, hrefWith } = useUrlParams();
  const { favorites, change: changeLists } = usePersonalLists();
  const favoriteIds = new Set(favorites.map(({ id }) => id));
  const columns = presetColumns({
    isFavorite: ({ id }) => favoriteIds.has(id),
    q: filter.q,
    calls: list.calls,
    toggleFavorite: (preset) => changeLists((lists) => withFavoriteToggled(lists, preset)),
    tagHref: (tag) => hrefWith({ tag: [...new Set([...filter.tags, tag])].join() }),
  });
  // On narrow screens, the filters would hide the list.
  const [isOpen, setIsOpen] = useState(false);
  const chosen = [filter.label, filter.model, filter.owner, filter.status].filter(Boolean).length;
  const box = useRef<HTMLDivElement>(null);
  const move = (step: 1 | -1) => moveToRow(box.current, document.activeElement, step);
  useCommands([
    { title: 'Search this list', group: 'Presets', keys: '/', run: focusSearch },
    { title: 'Next preset', group: 'Presets', keys: 'J', isMove: true, run: () => move(1) },
    { title: 'Previous preset', group: 'Presets', keys: 'K', isMove: true, run: () => move(-1) },
    { title: 'Open the preset', group: 'Presets', keys: 'Enter' },
  ]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles the keys of the links inside
    <div ref={box} className={styles.list} data-has-filters={isOpen || undefined} onKeyDown={moveBetweenRows}>
      <DataTable
        id="presets"
        label="Presets"
        noun={['preset', 'presets']}
        columns={columns}
        source={sourceOf(list)}
        keyOf={({ id }) => id}
        search={{
          label: 'Search presets',
          placeholder: 'Search by name, slug, prompt, note or model',
          maxLength: 200,
          isOnServer: true,
        }}
        facets={tableFacets(list.facets, filter, account.email)}
        filters={
          <>
            <Button
              className={styles.filtersButton}
              aria-expanded={isOpen}
              onClick={() => setIsOpen(!isOpen)}
            >
              <SlidersHorizontal aria-hidden="true" />
              Filters{chosen > 0 && ` (${chosen})`}
            </Button>
            <TagFilter
              tags={filter.tags}
              offered={list.facets.tags}
              // A new entry, like a click on a tag in a row: Back removes the tag.
              onChange={(tags) => changeUrl({ tag: tags.join() })}
            />
          </>
        }
        isFiltered={filter.tags.length > 0}
        onClear={() => changeUrl({ tag: '' }, { replace: true })}
        {...(may('write') && {
          selection: {
            nameOf: ({ name }: PresetSummary) => name,
            actions: (presets: readonly PresetSummary[], clear: () => void) => (
              <BulkActions presets={presets} clear={clear} />
            ),
          },
        })}
      />
      {list.loaded?.isComplete === false && list.loaded.presets.length >= presetsMax && (
        <p className={styles.cut} role="status">
          These are the {formatNumber(presetsMax)} most recently changed presets of this list; order and
          filters apply only to them. Search, or choose a tag, to find others.
        </p>
      )}
    </div>
  );
}

/** The rows come sorted and filtered, so the table has nothing left to do. */
function sourceOf({ loaded, presets, query }: PresetListProps['list']): RowSource<PresetSummary> {
  const isLoading = loaded?.isComplete === false && query.isFetching;
  return {
    rows: presets,
    total: isLoading ? loaded.totalCount : presets?.length,
    isTotalExact: isLoading ? loaded.isTotalExact : true,
    hasMore: isLoading,
    isLoadingMore: isLoading,
    isStale: query.isPlaceholderData,
    error: query.error,
    isServerSorted: true,
    loadMore: () => undefined,
    refetch: () => void query.refetch(),
    fetchAll: async () => ({ rows: presets ?? [], isCut: loaded?.isComplete === false }),
  };
}

const statuses = [
  ['', 'Not archived'],
  ['active', 'Active'],
  ['disabled', 'Disabled'],
  ['archived', 'Archived'],
  ['all', 'Any status'],
] as const;

function tableFacets(facets: Facets, filter: PresetFilter, me: string): readonly TableFacet<PresetSummary>[] {
  return [
    { id: 'label', label: 'Label', options: optionsOf('Any label', facets.labels, filter.label) },
    { id: 'model', label: 'Model', options: optionsOf('Any model', facets.models, filter.model) },
    {
      id: 'owner',
      label: 'Updated by',
      options: optionsOf('Any person', facets.owners, filter.owner, (owner) =>
        owner === me
          ? `${facets.ownerNames.get(owner) ?? owner} (you)`
          : (facets.ownerNames.get(owner) ?? owner),
      ),
    },
    { id: 'status', label: 'Status', options: statuses },
  ];
}

/** A value from the URL stays an option even if no preset in the list has it. */
function optionsOf(
  any: string,
  facet: Facet,
  chosen: string,
  textOf = (value: string) => value,
): readonly (readonly [string, string])[] {
  const isKnown = chosen === '' || facet.some(([value]) => value === chosen);
  return [
    ['', any],
    ...(isKnown ? [] : [[chosen, textOf(chosen)] as const]),
    ...facet.map(([value, count]) => [value, `${textOf(value)} (${formatNumber(count)})`] as const),
  ];
}

function focusSearch(): void {
  document.querySelector<HTMLInputElement>('main input[type="search"]')?.focus();
}

/** The arrow keys move from a row to the next, and from the search to the first row. */
function moveBetweenRows(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const { target, currentTarget } = event;
  if (step === undefined || !(target instanceof Element)) return;
  const isSearch = target.matches('input[type="search"]');
  const row = target.closest('tbody tr');
  if (row === null && !(isSearch && step === 1)) return;
  event.preventDefault();
  if (moveToRow(currentTarget, target, step)) return;
  if (step === -1) currentTarget.querySelector<HTMLElement>('input[type="search"]')?.focus();
}

/** Moves the focus to the row beside the one of this element, or to the first; false at the end. */
function moveToRow(list: HTMLElement | null, from: Element | null, step: number): boolean {
  const row = from?.closest('tbody tr') ?? null;
  const links = [...(list?.querySelectorAll<HTMLElement>('[data-row-link]') ?? [])];
  const index = row === null ? -1 : links.findIndex((link) => row.contains(link));
  const next = links[index === -1 ? 0 : index + step];
  next?.focus();
  return next !== undefined;
}
