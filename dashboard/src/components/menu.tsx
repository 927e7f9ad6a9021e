import { type ComponentType, type ReactNode, useId, useRef, useState } from 'react';
import { classNames } from './class-names.ts';
import styles from './menu.module.css';
import type { MenuItem, MenuPopupProps } from './menu-popup.tsx';

export type { MenuItem };

interface MenuProps {
  /** Accessible name of the button. */
  readonly label: string;
  /** The content of the button. */
  readonly button: ReactNode;
  readonly buttonClassName?: string | undefined;
  /** Above the items. No headings or paragraphs: a menu may only contain items and plain text. */
  readonly head?: ReactNode;
  /** In display order; the others are left out. */
  readonly items: readonly (MenuItem | false | undefined)[];
  /** The edge of the button that the list is aligned with. */
  readonly align?: 'start' | 'end';
  readonly isDisabled?: boolean;
}

let LoadedPopup: ComponentType<MenuPopupProps> | undefined;

/**
 * A button that opens a list of links and actions. The list is Base UI's, with its keyboard
 * handling and positioning. That is 40 kB compressed, so it loads when the button is first pointed
 * at or focused.
 */
export function Menu(props: MenuProps) {
  const { label, button, buttonClassName, head, items, align = 'end', isDisabled = false } = props;
  const [isOpen, setIsOpen] = useState(false);
  const [Popup, setPopup] = useState(() => LoadedPopup);
  const anchor = useRef<HTMLButtonElement>(null);
  const id = useId();
  const load = async () => {
    LoadedPopup ??= (await import('./menu-popup.tsx')).MenuPopup;
    setPopup(() => LoadedPopup);
  };
  // If it cannot be loaded, the next attempt to open it tries again.
  const preload = () => void load().catch(() => setIsOpen(false));
  const open = () => {
    preload();
    setIsOpen(true);
  };
  return (
    <>
      <button
        ref={anchor}
        type="button"
        disabled={isDisabled}
        // For dialogs, which return the focus to the button of the menu that opened them.
        data-menu={id}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen && Popup !== undefined ? id : undefined}
        className={classNames(styles.button, buttonClassName)}
        onPointerEnter={preload}
        onFocus={preload}
        onClick={() => (isOpen ? setIsOpen(false) : open())}
        onKeyDown={(event) => {
          if (isOpen || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return;
          event.preventDefault();
          open();
        }}
      >
        {button}
      </button>
      {Popup !== undefined && (
        <Popup
          id={id}
          label={label}
          isOpen={isOpen}
          onOpenChange={setIsOpen}
          anchor={anchor}
          head={head}
          items={items.filter((item) => typeof item === 'object')}
          align={align}
        />
      )}
    </>
  );
}
