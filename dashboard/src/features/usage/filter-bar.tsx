import { Combobox } from '@base-ui/react/combobox';
import { ChevronLeft, ListFilter, X } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import {
  type FilterName,
  filterDimensions,
  usageDimensions,
} from '../../../../src/core/ledger/usage-catalog.ts';
import { usePreset } from '../../api/presets.ts';
import type { UsageScope } from '../../api/usage.ts';
import { buttonClass } from '../../components/button.tsx';
import { ComboboxList } from '../../components/combobox.tsx';
import fields from '../../components/fields.module.css';
import { SelectField } from '../../components/fields.tsx';
import { useUrlParams } from '../../components/use-url-params.ts';
import { versionOptions } from '../comparison/version-choice.ts';
import styles from './filter-bar.module.css';
import type { UsageFilter } from './usage-filter.ts';
import { type FilterValue, useFilterValues } from './use-filter-values.ts';
import { shortId, wordsOf } from './value-text.ts';

interface FilterBarProps {
  readonly filter: UsageFilter;
  /** What the page can filter by. */
  readonly names: readonly FilterName[];
  readonly scope: UsageScope;
  /** Values in the URL that remove a filter which applies without one. */
  readonly removed?: UsageFilter;
  /** Controls before and after the filters. */
  readonly before?: ReactNode;
  readonly children?: ReactNode;
}

/** The filters in the URL as chips, and a menu that adds one. */
export function FilterBar({ filter, names, scope, removed = {}, before, children }: FilterBarProps) {
  const { change } = useUrlParams();
  const menu = useRef<HTMLButtonElement>(null);
  const offered = names.filter(
    (name) => name !== 'version' && (name !== 'workspace' || scope.isOrganization),
  );
  const chosen = offered.filter((name) => filter[name] !== undefined);
  const remove = (name: FilterName) => {
    change({ [name]: removed[name] ?? '', ...(name === 'preset' && { version: '', compare: '' }) });
    // The pressed button is gone.
    menu.current?.focus({ preventScroll: true });
  };
  return (
    <search className={styles.bar}>
      {before}
      <FilterMenu
        button={menu}
        names={offered}
        scope={scope}
        onChoose={(name, value) =>
          change({ [name]: value, ...(name === 'preset' && { version: '', compare: '' }) })
        }
      />
      {chosen.map((name) => (
        <FilterChip
          key={name}
          name={name}
          value={filter[name] ?? ''}
          scope={scope}
          onRemove={() => remove(name)}
        />
      ))}
      {filter.preset !== undefined && (
        <VersionFilter
          slug={filter.preset}
          version={filter.version}
          scope={scope}
          onRemove={() => remove('version')}
        />
      )}
      {children}
    </search>
  );
}

interface FilterChipProps {
  readonly name: FilterName;
  readonly value: string;
  readonly scope: UsageScope;
  readonly onRemove: () => void;
}

function FilterChip({ name, value, scope, onRemove }: FilterChipProps) {
  // Of an id, only the list of values knows the name.
  const isNamed = usageDimensions[filterDimensions[name]].names !== undefined && name !== 'preset';
  const { values } = useFilterValues(isNamed || name === 'status' ? name : undefined, scope);
  const known = values?.find((each) => each.value === value);
  const word = wordsOf(filterDimensions[name], value);
  const text = known?.text ?? word ?? (isNamed ? shortId(value) : value);
  const label = labelOf(name);
  return (
    <span className={styles.chip} title={known?.detail ?? value}>
      <span className={styles.name}>{label}</span>
      <span className={styles.value}>{text}</span>
      <button
        type="button"
        className={styles.remove}
        aria-label={`Remove filter ${label}: ${text}`}
        onClick={onRemove}
      >
        <X aria-hidden="true" />
      </button>
    </span>
  );
}

function labelOf(name: FilterName): string {
  return usageDimensions[filterDimensions[name]].label;
}

interface VersionFilterProps {
  readonly slug: string;
  readonly version: string | undefined;
  readonly scope: UsageScope;
  readonly onRemove: () => void;
}

/** A choice of the versions that the filtered preset has, if it is one of this workspace. */
function VersionFilter({ slug, version, scope, onRemove }: VersionFilterProps) {
  const { change } = useUrlParams();
  const { data } = usePreset(slug, !scope.isOrganization);
  if (data === undefined || scope.isOrganization)
    return version === undefined ? null : (
      <FilterChip name="version" value={version} scope={scope} onRemove={onRemove} />
    );
  const { latest, preset } = data;
  const pointers = { latest, live: preset.designated_version.version, labels: [] };
  const options = versionOptions(pointers, version === undefined ? [] : [Number(version)]);
  const isKnown = version === undefined || Number(version) <= latest;
  return (
    <SelectField
      label="Version"
      isLabelHidden
      value={version ?? ''}
      options={[
        ['', 'All versions'],
        ...(isKnown ? [] : [[version, `Version ${version}`] as const]),
        ...options,
      ]}
      onChange={(next) => change({ version: next, compare: '' })}
    />
  );
}

interface FilterMenuProps {
  readonly button: React.RefObject<HTMLButtonElement | null>;
  readonly names: readonly FilterName[];
  readonly scope: UsageScope;
  readonly onChoose: (name: FilterName, value: string) => void;
}

type Item = FilterValue & { readonly name?: FilterName };

/** First the dimension, then its value, each found by typing. */
function FilterMenu({ button, names, scope, onChoose }: FilterMenuProps) {
  const [isOpen, setIsOpen] = useState(false);
  const [name, setName] = useState<FilterName>();
  const [typed, setTyped] = useState('');
  const { values, error } = useFilterValues(isOpen ? name : undefined, scope);
  const items: readonly Item[] =
    name === undefined
      ? names.map((each) => ({ value: each, name: each, text: labelOf(each), detail: undefined }))
      : (values ?? []);
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = items
    .filter(({ text, detail = '' }) => {
      const searched = `${text} ${detail}`.toLowerCase();
      return words.every((word) => searched.includes(word));
    })
    .slice(0, shownMax);
  const isLoading = name !== undefined && values === undefined && !error;
  const back = () => {
    setName(undefined);
    setTyped('');
  };
  const label = name === undefined ? 'Filter by' : labelOf(name);
  return (
    <Combobox.Root<Item>
      items={shown}
      filter={null}
      value={null}
      open={isOpen}
      inputValue={typed}
      autoHighlight
      isItemEqualToValue={(one, other) => one.value === other.value && one.name === other.name}
      itemToStringLabel={({ text }) => text}
      onOpenChange={(open, { reason }) => {
        // The choice of a dimension goes on to its values.
        if (!open && reason === 'item-press' && name === undefined) return;
        setIsOpen(open);
        back();
      }}
      onInputValueChange={(text, { reason }) => {
        if (reason === 'input-change' || reason === 'input-clear') setTyped(text);
      }}
      onValueChange={(item) => {
        if (item === null) return;
        setTyped('');
        if (name === undefined) setName(item.name);
        else onChoose(name, item.value);
      }}
    >
      {/* A combobox is not named by its content. */}
      <Combobox.Trigger ref={button} className={buttonClass({})} aria-label="Filter">
        <ListFilter aria-hidden="true" />
        Filter
      </Combobox.Trigger>
      <ComboboxList<Item>
        anchor={button.current}
        label={label}
        keyOf={(item) => item.value}
        isBusy={isLoading}
        busyText="Loading…"
        error={error}
        empty={items.length === 0 ? 'No calls in the last 90 days have one.' : 'Nothing matches.'}
        before={
          <div className={styles.search}>
            {name !== undefined && (
              <button type="button" className={styles.back} aria-label="All filters" onClick={back}>
                <ChevronLeft aria-hidden="true" />
              </button>
            )}
            <Combobox.Input
              className={fields.control}
              aria-label={label}
              placeholder={`${label}…`}
              maxLength={254}
              spellCheck={false}
              onKeyDown={({ key }) => {
                if (key === 'Backspace' && typed === '' && name !== undefined) back();
              }}
            />
          </div>
        }
      >
        {(item) => (
          <>
            <span>{item.text}</span>
            {item.detail !== undefined && <span className="note">{item.detail}</span>}
          </>
        )}
      </ComboboxList>
    </Combobox.Root>
  );
}

/** Enough to scan; typing finds the others. */
const shownMax = 100;
