import { type ReactNode, useEffect, useRef } from 'react';
import styles from './page.module.css';

interface PageProps {
  /** The heading, also used as the document title. */
  readonly title: string;
  /** Next to the title, such as a status badge. */
  readonly aside?: ReactNode;
  /** One sentence below the title. */
  readonly lead?: ReactNode;
  /** Buttons at the right of the title; the primary one comes last. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** The browser handles focus on the first load; only later navigations move it. */
let isFirstPage = true;

/**
 * Title, actions and content of a page. After a navigation it focuses the title, so that screen
 * readers announce the new page.
 */
export function Page({ title, aside, lead, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // A field with `focusOnMount` already has the focus.
    const isTaken = heading.current?.closest('main')?.querySelector(':focus') != null;
    if (!isFirstPage && !isTaken) heading.current?.focus({ preventScroll: true });
    isFirstPage = false;
  }, []);
  return (
    <>
      <title>{`${title} · presetd`}</title>
      <header className={styles.header}>
        <div className={styles.titles}>
          <div className={styles.title}>
            <h1 ref={heading} tabIndex={-1}>
              {title}
            </h1>
            {aside}
          </div>
          {lead !== undefined && <div className={styles.lead}>{lead}</div>}
        </div>
        {actions !== undefined && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </>
  );
}
