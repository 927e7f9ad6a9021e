import { Combobox } from '@base-ui/react/combobox';
import { ChevronLeft, ListFilter, X } from 'lucide-react';
import { buttonClass } from './button.tsx';
import { ComboboxList } from './combobox.tsx';
import fields from './fields.module.css';
import styles from './filter-menu.module.css';

/** A value to filter by. */
export interface FilterValue {
  readonly value: string;
  readonly text: string;
  /** Beside the text, such as the address of a person. Also searched. */
  readonly detail?: string | undefined;
}

/** The state of an open menu, which lists the filters, or the values of one, that match. */
export interface OpenFilter<Name extends string> {
  readonly name: Name | undefined;
  readonly typed: string;
}

interface FilterMenuProps<Name extends string> {
  readonly button: React.RefObject<HTMLButtonElement | null>;
  /** Undefined while the menu is closed. */
  readonly open: OpenFilter<Name> | undefined;
  readonly onOpen: (open: OpenFilter<Name> | undefined) => void;
  readonly names: readonly Name[];
  readonly labelOf: (name: Name) => string;
  /** Those of the name that is open; undefined while they are loading. */
  readonly values: readonly FilterValue[] | undefined;
  readonly error: unknown;
  /** Why a filter has no values. */
  readonly empty: string;
  readonly onChoose: (name: Name, value: string) => void;
}

type Item<Name> = FilterValue & { readonly name?: Name };

/** First what to filter by, then its value, each found by typing. */
export function FilterMenu<Name extends string>(props: FilterMenuProps<Name>) {
  const { button, open, onOpen, names, labelOf, values, error, empty, onChoose } = props;
  const { name, typed = '' } = open ?? {};
  const items: readonly Item<Name>[] =
    name === undefined
      ? names.map((each) => ({ value: each, name: each, text: labelOf(each) }))
      : (values ?? []);
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = items
    .filter(({ text, detail = '' }) => {
      const searched = `${text} ${detail}`.toLowerCase();
      return words.every((word) => searched.includes(word));
    })
    // "to" means "To" rather than "Actor".
    .toSorted((one, other) => Number(startsWith(other, typed)) - Number(startsWith(one, typed)))
    .slice(0, shownMax);
  const isLoading = name !== undefined && values === undefined && !error;
  const toNames = () => onOpen({ name: undefined, typed: '' });
  const label = name === undefined ? 'Filter by' : labelOf(name);
  return (
    <Combobox.Root<Item<Name>>
      items={shown}
      filter={null}
      value={null}
      open={open !== undefined}
      inputValue={typed}
      autoHighlight
      isItemEqualToValue={(one, other) => one.value === other.value && one.name === other.name}
      itemToStringLabel={({ text }) => text}
      onOpenChange={(isOpen, { reason }) => {
        // The choice of a name goes on to its values.
        if (!isOpen && reason === 'item-press' && name === undefined) return;
        onOpen(isOpen ? { name: undefined, typed: '' } : undefined);
      }}
      onInputValueChange={(text, { reason }) => {
        if (reason === 'input-change' || reason === 'input-clear') onOpen({ name, typed: text });
      }}
      onValueChange={(item) => {
        if (item === null) return;
        if (name === undefined) onOpen({ name: item.name, typed: '' });
        else onChoose(name, item.value);
      }}
    >
      {/* A combobox is not named by its content. */}
      <Combobox.Trigger ref={button} className={buttonClass({})} aria-label="Filter">
        <ListFilter aria-hidden="true" />
        Filter
      </Combobox.Trigger>
      <ComboboxList<Item<Name>>
        anchor={button.current}
        label={label}
        keyOf={(item) => item.value}
        isBusy={isLoading}
        busyText="Loading…"
        error={error}
        empty={items.length === 0 ? empty : 'Nothing matches.'}
        before={
          <div className={styles.search}>
            {name !== undefined && (
              <button type="button" className={styles.back} aria-label="All filters" onClick={toNames}>
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
                if (key === 'Backspace' && typed === '' && name !== undefined) toNames();
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

function startsWith({ text }: FilterValue, typed: string): boolean {
  return typed !== '' && text.toLowerCase().startsWith(typed.toLowerCase());
}

/** Enough to scan; typing finds the others. */
const shownMax = 100;

interface FilterChipProps {
  readonly label: string;
  readonly text: string;
  /** The whole value, on hover. */
  readonly title: string;
  /** Undefined for a filter that always applies. */
  readonly onRemove?: () => void;
}

/** A filter that applies. */
export function FilterChip({ label, text, title, onRemove }: FilterChipProps) {
  return (
    <span className={styles.chip} title={title}>
      <span className={styles.name}>{label}</span>
      <span className={styles.value}>{text}</span>
      {onRemove && (
        <button
          type="button"
          className={styles.remove}
          aria-label={`Remove filter ${label}: ${text}`}
          onClick={onRemove}
        >
          <X aria-hidden="true" />
        </button>
      )}
    </span>
  );
}
