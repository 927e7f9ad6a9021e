import { useMemo, useState } from 'react';
import { isSlug } from '../../../../src/core/preset-slug.ts';
import { ComboboxField } from '../../components/combobox.tsx';
import { useDebounced } from '../../components/use-debounced.ts';
import { usePresetSearch } from '../../features/keys/preset-picker.tsx';

interface PresetFieldProps {
  /** Undefined for a workspace that was deleted: its presets cannot be searched any more. */
  readonly workspaceId: string | undefined;
  /** A slug; empty for any preset. */
  readonly value: string;
  readonly onChange: (slug: string) => void;
  readonly isDisabled: boolean;
}

interface OfferedPreset {
  readonly slug: string;
  readonly name: string;
}

const debounceMs = 180;

/** Finds a preset by its name or slug. The server searches. */
export function PresetField({ workspaceId, value, onChange, isDisabled }: PresetFieldProps) {
  const [typed, setTyped] = useState<string>();
  const q = (typed ?? '').trim();
  const { value: searched } = useDebounced(q, debounceMs);
  const { data, error, isPlaceholderData } = usePresetSearch(workspaceId, searched);
  const isSearching =
    workspaceId !== undefined && (searched !== q || (data === undefined && !error) || isPlaceholderData);
  // A new object in each render would reset what is typed.
  const chosen = useMemo(() => (value === '' ? undefined : { slug: value, name: value }), [value]);
  return (
    <ComboboxField<OfferedPreset>
      label="Preset"
      placeholder={isDisabled ? 'Select a workspace first' : 'Any preset'}
      maxLength={128}
      items={isSearching ? [] : withTyped(data ?? [], q)}
      value={chosen}
      onChange={(preset) => onChange(preset?.slug ?? '')}
      typed={typed}
      onTyped={setTyped}
      keyOf={({ slug }) => slug}
      textOf={({ slug }) => slug}
      isDisabled={isDisabled}
      isOptional
      isBusy={isSearching}
      error={error}
      empty={q === '' ? 'Type a slug.' : `No preset matches “${q}”.`}
    >
      {(preset) => (
        <>
          <span>{preset.name}</span>
          {preset.name !== preset.slug && <span className="note mono">{preset.slug}</span>}
        </>
      )}
    </ComboboxField>
  );
}

/** The log also knows presets by slugs that the list does not find, such as former ones. */
function withTyped(found: readonly OfferedPreset[], q: string): readonly OfferedPreset[] {
  const isNew = isSlug(q) && !found.some(({ slug }) => slug === q);
  return isNew ? [...found, { slug: q, name: q }] : found;
}
