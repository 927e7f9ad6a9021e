import { Combobox } from '@base-ui/react/combobox';
import { ChevronDown, X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import styles from './combobox.module.css';
import fields from './fields.module.css';
import { Field } from './fields.tsx';
import { messageOf } from './notice.tsx';

interface ListProps<Item> {
  /** The elements that the list belongs to: it appears in the dialog or landmark around it. */
  readonly anchor: HTMLElement | null;
  readonly keyOf: (item: Item) => string;
  /** The content of an item. */
  readonly children: (item: Item) => ReactNode;
  /** Whether the items are loading. */
  readonly isBusy?: boolean;
  /** Shown while the items are loading. */
  readonly busyText?: string;
  readonly error?: unknown;
  /** Why there are no items. */
  readonly empty: ReactNode;
  /** Names the list where no field does. */
  readonly label?: string | undefined;
  /** Above and below the items. */
  readonly before?: ReactNode;
  readonly after?: ReactNode;
}

/** The list of a combobox: the options, or why there are none. Used inside `Combobox.Root`. */
export function ComboboxList<Item>(props: ListProps<Item>) {
  const { anchor, keyOf, children, isBusy = false, busyText = 'Searching…', error, empty } = props;
  return (
    // Outside a modal dialog it would be inert, and outside a landmark hard to find.
    <Combobox.Portal container={anchor?.closest<HTMLElement>('dialog, main')} className={styles.portal}>
      <Combobox.Positioner
        anchor={anchor}
        className={styles.positioner}
        sideOffset={4}
        align="start"
        positionMethod="fixed"
      >
        <Combobox.Popup
          className={styles.popup}
          aria-busy={isBusy || undefined}
          {...(props.label !== undefined && { 'aria-label': props.label })}
        >
          {props.before}
          <Combobox.Status className={styles.empty}>
            {error ? messageOf(error) : isBusy ? busyText : undefined}
          </Combobox.Status>
          <Combobox.Empty className={styles.empty}>{!isBusy && !error && empty}</Combobox.Empty>
          <Combobox.List>
            {(item: Item) => (
              <Combobox.Item key={keyOf(item)} value={item} className={styles.item}>
                {children(item)}
              </Combobox.Item>
            )}
          </Combobox.List>
          {props.after}
        </Combobox.Popup>
      </Combobox.Positioner>
    </Combobox.Portal>
  );
}

interface ComboboxFieldProps<Item> extends Omit<ListProps<Item>, 'anchor' | 'label' | 'before'> {
  readonly label: string;
  readonly isLabelHidden?: boolean | undefined;
  readonly error?: unknown;
  /** The problem with the choice. */
  readonly problem?: string | undefined;
  readonly hint?: string | undefined;
  readonly placeholder: string;
  readonly maxLength?: number;
  /** The items that match `typed`. */
  readonly items: readonly Item[];
  /** Stable between renders as long as it is the same. */
  readonly value: Item | undefined;
  readonly onChange: (item: Item | undefined) => void;
  /** In place of the chosen item, until another one is chosen or the list closes. */
  readonly typed: string | undefined;
  readonly onTyped: (text: string | undefined) => void;
  /** In the field once it is chosen. */
  readonly textOf: (item: Item) => string;
  readonly isDisabled?: boolean;
  /** Whether the user can choose nothing. */
  readonly isOptional?: boolean;
  /** Only the button clears the choice, and not an empty text. */
  readonly isClearedByButton?: boolean;
}

/**
 * Chooses one of many by typing, with the ARIA pattern of an editable combobox. The caller finds
 * what matches the text, here or on the server.
 */
export function ComboboxField<Item>(props: ComboboxFieldProps<Item>) {
  const { label, isLabelHidden, problem, hint, placeholder, maxLength, isDisabled = false } = props;
  const { items, value, onChange, typed, onTyped, textOf, keyOf, isOptional, isClearedByButton } = props;
  const [input, setInput] = useState<HTMLInputElement | null>(null);
  return (
    <Field label={label} isLabelHidden={isLabelHidden} error={problem} hint={hint}>
      {({ id, describedBy }) => (
        <Combobox.Root<Item>
          items={items}
          filter={null}
          disabled={isDisabled}
          value={value ?? null}
          onValueChange={(next, details) => {
            const isChosen = details.reason === 'item-press' || details.reason === 'clear-press';
            if (!isChosen && (isClearedByButton || details.reason === 'escape-key')) return details.cancel();
            onTyped(isChosen ? undefined : '');
            onChange(next ?? undefined);
          }}
          inputValue={typed ?? (value === undefined ? '' : textOf(value))}
          onInputValueChange={(text, { reason }) => onTyped(reason === 'input-change' ? text : undefined)}
          onOpenChange={(isOpen) => {
            if (!isOpen) onTyped(undefined);
          }}
          itemToStringLabel={textOf}
          isItemEqualToValue={(one, other) => keyOf(one) === keyOf(other)}
          autoHighlight
        >
          <Combobox.InputGroup className={styles.picker}>
            <Combobox.Input
              ref={setInput}
              id={id}
              aria-describedby={describedBy}
              aria-invalid={problem !== undefined || undefined}
              className={fields.control}
              placeholder={placeholder}
              maxLength={maxLength}
              spellCheck={false}
              // Typing replaces the choice instead of adding to its text.
              onFocus={({ currentTarget }) => currentTarget.select()}
              onBlur={() => onTyped(undefined)}
            />
            {isOptional && value !== undefined && (
              <Combobox.Clear className={styles.pickerButton} aria-label={`Clear ${label}`}>
                <X aria-hidden="true" />
              </Combobox.Clear>
            )}
            <Combobox.Trigger className={styles.pickerButton} aria-label={`Choose ${label}`}>
              <ChevronDown aria-hidden="true" />
            </Combobox.Trigger>
          </Combobox.InputGroup>
          <ComboboxList<Item> {...props} anchor={input} label={undefined} />
        </Combobox.Root>
      )}
    </Field>
  );
}
