import { Menu as BaseMenu } from '@base-ui/react/menu';
import { Check } from 'lucide-react';
import { Fragment, type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { classNames } from './class-names.ts';
import styles from './menu.module.css';

export type MenuItem = {
  readonly text: string;
  /** More about it, on a second line. */
  readonly detail?: string;
  readonly isDangerous?: boolean;
  /** For choices: marks the current one. */
  readonly isCurrent?: boolean;
  /** The list stays open, so that the user can change several choices. */
  readonly staysOpen?: boolean;
  /** Draws a line above it. */
  readonly startsGroup?: boolean;
} & ({ readonly href: string } | { readonly onClick: () => void });

export interface MenuPopupProps {
  readonly id: string;
  readonly label: string;
  readonly isOpen: boolean;
  readonly onOpenChange: (isOpen: boolean) => void;
  /** The button, to which the focus returns. */
  readonly anchor: RefObject<HTMLButtonElement | null>;
  readonly head: ReactNode;
  readonly items: readonly MenuItem[];
  readonly align: 'start' | 'end';
}

/** The list of a `Menu`, which loads it on demand. */
export function MenuPopup({ id, label, isOpen, onOpenChange, anchor, head, items, align }: MenuPopupProps) {
  /** The element that the chosen item has focused, such as a field to correct. */
  const focusedByItem = useRef<HTMLElement>(undefined);
  useEffect(() => {
    if (isOpen) focusedByItem.current = undefined;
  }, [isOpen]);
  return (
    <BaseMenu.Root
      modal={false}
      open={isOpen}
      onOpenChange={(open, { event }) => {
        // A click on the button closes the list by itself; it must not be closed and opened again.
        const isButton = event.target instanceof Node && anchor.current?.contains(event.target);
        if (open || !isButton || event.type === 'keydown') onOpenChange(open);
      }}
    >
      {/* Outside a modal dialog it would be inert, and outside a landmark hard to find. */}
      <BaseMenu.Portal
        container={anchor.current?.closest<HTMLElement>('dialog, main, header')}
        className={styles.portal}
      >
        <BaseMenu.Positioner
          anchor={anchor}
          align={align}
          sideOffset={4}
          collisionPadding={8}
          positionMethod="fixed"
          className={styles.positioner}
        >
          <BaseMenu.Popup
            id={id}
            aria-label={label}
            className={styles.list}
            finalFocus={() => (focusedByItem.current?.isConnected ? focusedByItem.current : anchor.current)}
          >
            {head !== undefined && <div className={styles.head}>{head}</div>}
            {items.map((item) => (
              <Fragment key={item.text}>
                {item.startsGroup && <BaseMenu.Separator className={styles.separator} />}
                <Item item={item} anchor={anchor} focusedByItem={focusedByItem} />
              </Fragment>
            ))}
          </BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  );
}

interface ItemProps {
  readonly item: MenuItem;
  readonly anchor: RefObject<HTMLButtonElement | null>;
  readonly focusedByItem: RefObject<HTMLElement | undefined>;
}

function Item({ item, anchor, focusedByItem }: ItemProps) {
  const { text, detail, isDangerous, isCurrent, staysOpen = false } = item;
  const className = classNames(styles.item, isDangerous && styles.dangerous);
  const content = (
    <>
      {detail === undefined ? (
        text
      ) : (
        <span className={styles.described}>
          {text}
          <span className="note">{detail}</span>
        </span>
      )}
      {isCurrent && <Check aria-hidden="true" />}
    </>
  );
  if ('href' in item)
    return (
      <BaseMenu.LinkItem
        closeOnClick
        className={className}
        aria-current={isCurrent || undefined}
        render={<Link href={item.href} />}
      >
        {content}
      </BaseMenu.LinkItem>
    );
  const choose = () => {
    // A dialog that the item opens returns the focus to the element that had it.
    if (!staysOpen) anchor.current?.focus();
    item.onClick();
    const { activeElement, body } = document;
    const isMoved = !staysOpen && activeElement !== anchor.current && activeElement !== body;
    focusedByItem.current = isMoved && activeElement instanceof HTMLElement ? activeElement : undefined;
  };
  if (isCurrent === undefined)
    return (
      <BaseMenu.Item className={className} onClick={choose}>
        {content}
      </BaseMenu.Item>
    );
  return (
    <BaseMenu.CheckboxItem
      closeOnClick={!staysOpen}
      checked={isCurrent}
      className={className}
      onClick={choose}
    >
      {content}
    </BaseMenu.CheckboxItem>
  );
}
