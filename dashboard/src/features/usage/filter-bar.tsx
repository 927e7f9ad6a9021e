import { type ReactNode, useRef, useState } from 'react';
import {
  type FilterName,
  filterDimensions,
  usageDimensions,
} from '../../../../src/core/ledger/usage-catalog.ts';
import { usePreset } from '../../api/presets.ts';
import type { UsageScope } from '../../api/usage.ts';
import { SelectField } from '../../components/fields.tsx';
import styles from '../../components/filter-menu.module.css';
import { FilterChip, FilterMenu, type OpenFilter } from '../../components/filter-menu.tsx';
import { useUrlParams } from '../../components/use-url-params.ts';
import { versionOptions } from '../comparison/version-choice.ts';
import type { UsageFilter } from './usage-filter.ts';
import { useFilterValues } from './use-filter-values.ts';
import { shortId, wordsOf } from './value-text.ts';

interface FilterBarProps {
  readonly filter: UsageFilter;
  /** The filters that the page offers. */
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
  const [open, setOpen] = useState<OpenFilter<FilterName>>();
  const { values, error } = useFilterValues(open?.name, scope);
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
        {...{ open, values, error, labelOf }}
        onOpen={setOpen}
        names={offered}
        empty="No calls in the last 90 days have one."
        onChoose={(name, value) =>
          change({ [name]: value, ...(name === 'preset' && { version: '', compare: '' }) })
        }
      />
      {chosen.map((name) => (
        <UsageFilterChip
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

interface UsageFilterChipProps {
  readonly name: FilterName;
  readonly value: string;
  readonly scope: UsageScope;
  readonly onRemove: () => void;
}

function UsageFilterChip({ name, value, scope, onRemove }: UsageFilterChipProps) {
  // Of an id, only the list of values knows the name.
  const isNamed = usageDimensions[filterDimensions[name]].names !== undefined && name !== 'preset';
  const { values } = useFilterValues(isNamed || name === 'status' ? name : undefined, scope);
  const known = values?.find((each) => each.value === value);
  const word = wordsOf(filterDimensions[name], value);
  const text = known?.text ?? word ?? (isNamed ? shortId(value) : value);
  return <FilterChip label={labelOf(name)} text={text} title={known?.detail ?? value} onRemove={onRemove} />;
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
      <UsageFilterChip name="version" value={version} scope={scope} onRemove={onRemove} />
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
