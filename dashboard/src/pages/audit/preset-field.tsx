import { Combobox } from '@base-ui/react/combobox';
import { ChevronDown, X } from 'lucide-react';
import { useMemo, useState } from 'react';
import { isSlug } from '../../../../src/core/preset-slug.ts';
import combobox from '../../components/combobox.module.css';
import styles from '../../components/fields.module.css';
import { Field } from '../../components/fields.tsx';
import { messageOf } from '../../components/notice.tsx';
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
  const [typed, setTyped] = useState('');
  const [input, setInput] = useState<HTMLInputElement | null>(null);
  const q = typed.trim();
  const { value: searched } = useDebounced(q, debounceMs);
  const { data, error, isPlaceholderData } = usePresetSearch(workspaceId, searched);
  const isSearching =
    workspaceId !== undefined && (searched !== q || (data === undefined && !error) || isPlaceholderData);
  // A new object in each render would reset what is typed.
  const chosen = useMemo(() => (value === '' ? null : { slug: value, name: value }), [value]);
  const offered = isSearching ? [] : withTyped(data ?? [], q);
  return (
    <Field label="Preset">
      {({ id, describedBy }) => (
        <Combobox.Root<OfferedPreset>
          items={offered}
          filter={null}
          disabled={isDisabled}
          value={chosen}
          onValueChange={(preset) => {
            setTyped('');
            onChange(preset?.slug ?? '');
          }}
          onInputValueChange={(text, { reason }) => setTyped(reason === 'input-change' ? text : '')}
          onOpenChange={(isOpen) => {
            if (!isOpen) setTyped('');
          }}
          itemToStringLabel={({ slug }) => slug}
          isItemEqualToValue={(one, other) => one.slug === other.slug}
          autoHighlight
        >
          <Combobox.InputGroup className={combobox.picker}>
            <Combobox.Input
              ref={setInput}
              id={id}
              aria-describedby={describedBy}
              className={styles.control}
              placeholder={isDisabled ? 'Select a workspace first' : 'Any preset'}
              maxLength={128}
              spellCheck={false}
              onFocus={({ currentTarget }) => currentTarget.select()}
            />
            {value !== '' && (
              <Combobox.Clear className={combobox.pickerButton} aria-label="Clear Preset">
                <X aria-hidden="true" />
              </Combobox.Clear>
            )}
            <Combobox.Trigger className={combobox.pickerButton} aria-label="Choose Preset">
              <ChevronDown aria-hidden="true" />
            </Combobox.Trigger>
          </Combobox.InputGroup>
          {/* Outside a landmark it would be hard to find. */}
          <Combobox.Portal container={input?.closest<HTMLElement>('main')} className={combobox.portal}>
            <Combobox.Positioner className={combobox.positioner} sideOffset={4} positionMethod="fixed">
              <Combobox.Popup className={combobox.popup} aria-busy={isSearching || undefined}>
                <Combobox.Status className={combobox.empty}>
                  {error ? messageOf(error) : isSearching ? 'Searching…' : undefined}
                </Combobox.Status>
                <Combobox.Empty className={combobox.empty}>
                  {!isSearching && (q === '' ? 'Type a slug.' : `No preset matches “${q}”.`)}
                </Combobox.Empty>
                <Combobox.List>
                  {(preset: OfferedPreset) => (
                    <Combobox.Item key={preset.slug} value={preset} className={combobox.item}>
                      <span>{preset.name}</span>
                      {preset.name !== preset.slug && <span className="note mono">{preset.slug}</span>}
                    </Combobox.Item>
                  )}
                </Combobox.List>
              </Combobox.Popup>
            </Combobox.Positioner>
          </Combobox.Portal>
        </Combobox.Root>
      )}
    </Field>
  );
}

/** The log also knows presets by slugs that the list does not find, such as former ones. */
function withTyped(found: readonly OfferedPreset[], q: string): readonly OfferedPreset[] {
  const isNew = isSlug(q) && !found.some(({ slug }) => slug === q);
  return isNew ? [...found, { slug: q, name: q }] : found;
}
