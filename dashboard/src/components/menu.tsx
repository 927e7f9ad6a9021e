import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { Link } from 'wouter';
import { classNames } from './class-names.ts';
import styles from './menu.module.css';

interface MenuProps {
  /** Accessible name of the button. */
  readonly label: string;
  /** The content of the button. */
  readonly button: ReactNode;
  readonly buttonClassName?: string | undefined;
  /** Above the items. */
  readonly head?: ReactNode;
  /** In display order; the others are left out. */
  readonly items: readonly (MenuItem | false | undefined)[];
}

export type MenuItem = { readonly text: string; readonly isDangerous?: boolean } & (
  | { readonly href: string }
  | { readonly onClick: () => void }
);

/**
 * A button that opens a list of links and actions. Escape, a click elsewhere and moving the focus
 * out of it close the list. The arrow keys move inside of it.
 */
export function Menu({ label, button, buttonClassName, head, items }: MenuProps) {
  const [isOpen, setIsOpen] = useState(false);
  const menu = useRef<HTMLDivElement>(null);
  const listId = useId();
  useEffect(() => {
    if (!isOpen) return;
    const closeOutside = ({ target }: Event) => {
      if (target instanceof Node && !menu.current?.contains(target)) setIsOpen(false);
    };
    document.addEventListener('pointerdown', closeOutside);
    document.addEventListener('focusin', closeOutside);
    return () => {
      document.removeEventListener('pointerdown', closeOutside);
      document.removeEventListener('focusin', closeOutside);
    };
  }, [isOpen]);
  const close = () => {
    setIsOpen(false);
    // A dialog that an item opens returns the focus to the element that had it.
    menu.current?.querySelector('button')?.focus();
  };
  const move = (step: number) => {
    const all = [...(menu.current?.querySelectorAll<HTMLElement>('[data-item]') ?? [])];
    const index = all.indexOf(document.activeElement as HTMLElement);
    all.at(index === -1 ? Math.min(step, 0) : (index + step) % all.length)?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles the keys of the buttons inside
    <div
      ref={menu}
      className={styles.menu}
      onKeyDown={(event) => {
        if (!isOpen) return;
        if (event.key === 'Escape') close();
        else if (event.key === 'ArrowDown') move(1);
        else if (event.key === 'ArrowUp') move(-1);
        else return;
        event.preventDefault();
      }}
    >
      <button
        type="button"
        aria-label={label}
        aria-expanded={isOpen}
        aria-controls={listId}
        className={classNames(styles.button, buttonClassName)}
        onClick={() => setIsOpen(!isOpen)}
      >
        {button}
      </button>
      <div id={listId} className={styles.list} hidden={!isOpen}>
        {head !== undefined && <div className={styles.head}>{head}</div>}
        <ul>
          {items.map((item) => item && <li key={item.text}>{<Item item={item} onChosen={close} />}</li>)}
        </ul>
      </div>
    </div>
  );
}

function Item({ item, onChosen }: { readonly item: MenuItem; readonly onChosen: () => void }) {
  const className = classNames(styles.item, item.isDangerous && styles.dangerous);
  if ('href' in item)
    return (
      <Link href={item.href} className={className} data-item onClick={onChosen}>
        {item.text}
      </Link>
    );
  return (
    <button
      type="button"
      className={className}
      data-item
      onClick={() => {
        onChosen();
        item.onClick();
      }}
    >
      {item.text}
    </button>
  );
}
