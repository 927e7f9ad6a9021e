import { type ReactNode, useEffect, useRef } from 'react';
import styles from './page.module.css';

interface PageProps {
  readonly title: string;
  /** Beside the title, such as a status. */
  readonly aside?: ReactNode;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

let isFirstPage = true;

/** A page under the navigation. On the way from one to the next, whoever cannot see it is told where they are. */
export function Page({ title, aside, lead, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // A field in which typing begins has it already.
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
