import { Combobox } from '@base-ui/react/combobox';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useState } from 'react';
import { keyPresetsMax } from '../../../../src/api/limits.ts';
import type { PresetSummary } from '../../../../src/api/presets.ts';
import { withoutEmpty } from '../../api/api.ts';
import { useSession } from '../../api/session.ts';
import { classNames } from '../../components/class-names.ts';
import combobox from '../../components/combobox.module.css';
import { ComboboxList } from '../../components/combobox.tsx';
import fields from '../../components/fields.module.css';
import { Field } from '../../components/fields.tsx';
import { useDebounced } from '../../components/use-debounced.ts';
import styles from './preset-picker.module.css';

interface PresetPickerProps {
  readonly label: string;
  readonly workspaceId: string;
  /** Slugs and aliases. */
  readonly value: readonly string[];
  readonly onChange: (names: readonly string[]) => void;
  /** Text that the user has typed and not yet chosen a name for. */
  readonly typed: string;
  readonly onTypedChange: (text: string) => void;
  readonly error?: string | undefined;
  readonly hint?: string;
}

const debounceMs = 180;

/** Enough to scan; typing finds the others. */
const shownMax = 20;

/** Chooses any number of presets of a workspace by slug or alias. The server searches. */
export function PresetPicker(props: PresetPickerProps) {
  const { workspaceId, value, onChange, typed, onTypedChange, ...field } = props;
  const [box, setBox] = useState<HTMLDivElement | null>(null);
  const { value: q } = useDebounced(typed.trim(), debounceMs);
  const { data, error, isPlaceholderData } = usePresetSearch(workspaceId, q);
  const isSearching = q !== typed.trim() || data === undefined || isPlaceholderData;
  const found = isSearching ? [] : data.flatMap((preset) => namesOf(preset, q));
  const offered = found.filter(({ name }) => !value.includes(name));
  const isFull = value.length >= keyPresetsMax;
  return (
    <Field {...field}>
      {({ id, describedBy }) => (
        <Combobox.Root<string, true>
          multiple
          items={offered.map(({ name }) => name)}
          filter={null}
          value={[...value]}
          onValueChange={(names, { reason }) => {
            // Escape closes the list or the dialog. It must not clear what was chosen.
            if (reason === 'escape-key') return;
            onTypedChange('');
            onChange(names.slice(0, keyPresetsMax));
          }}
          inputValue={typed}
          onInputValueChange={(text, { reason }) => {
            // Base UI clears the text when the list closes. It stays, so that the form rejects it.
            if (reason === 'input-change') onTypedChange(text);
          }}
          autoHighlight
        >
          <Combobox.Chips
            ref={setBox}
            className={classNames(fields.control, styles.field)}
            aria-invalid={field.error !== undefined || undefined}
          >
            {value.map((name) => (
              <Combobox.Chip key={name} className={styles.chip} aria-label={name}>
                <span className={styles.name}>{name}</span>
                <Combobox.ChipRemove className={styles.remove} aria-label={`Remove ${name}`}>
                  <X aria-hidden="true" />
                </Combobox.ChipRemove>
              </Combobox.Chip>
            ))}
            <Combobox.Input
              id={id}
              aria-describedby={describedBy}
              className={styles.input}
              placeholder={value.length === 0 ? 'All presets' : isFull ? '' : 'Add another'}
              readOnly={isFull}
              maxLength={200}
              spellCheck={false}
              onKeyDown={(event) => {
                // Without a highlighted name, Enter would submit the form.
                if (event.key === 'Enter' && typed.trim() !== '') event.preventDefault();
              }}
            />
          </Combobox.Chips>
          <ComboboxList<string>
            anchor={box}
            keyOf={(name) => name}
            isBusy={isSearching}
            error={error}
            empty={whyEmpty(typed.trim(), found.length > 0)}
          >
            {(name) => (
              <>
                <span className={combobox.name}>{name}</span>
                <span className="note">
                  {offered.find((each) => each.name === name && each.of !== name)?.of}
                </span>
              </>
            )}
          </ComboboxList>
        </Combobox.Root>
      )}
    </Field>
  );
}

function whyEmpty(typed: string, areAllChosen: boolean): string {
  if (areAllChosen) return 'All matching presets are already selected.';
  return typed === '' ? 'This workspace has no presets.' : `No preset matches “${typed}”.`;
}

/** The presets of a workspace that match. */
export function usePresetSearch(workspaceId: string | undefined, q: string) {
  const { api } = useSession();
  return useQuery<readonly PresetSummary[]>({
    queryKey: ['presets', 'picker', workspaceId, q],
    enabled: workspaceId !== undefined,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const query = withoutEmpty({ workspace_id: workspaceId ?? '', limit: shownMax, q });
      return (await api.call('GET /presets', { query }, { signal })).content.data;
    },
  });
}

interface OfferedName {
  readonly name: string;
  /** Which preset it is a name of. */
  readonly of: string;
}

/** The slug, and the aliases that were searched for: clients may call the preset by one of them. */
export function namesOf(
  { slug, name, aliases }: Pick<PresetSummary, 'slug' | 'name' | 'aliases'>,
  q: string,
): readonly OfferedName[] {
  const searched = aliases.filter((alias) => q !== '' && alias.toLowerCase().includes(q.toLowerCase()));
  return [{ name: slug, of: name }, ...searched.map((alias) => ({ name: alias, of: `Alias of ${name}` }))];
}
