import { BookOpen } from 'lucide-react';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { Link } from 'wouter';
import { ButtonLink } from './button.tsx';
import { classNames } from './class-names.ts';
import { EmptyState } from './notice.tsx';
import styles from './page.module.css';

interface PageProps {
  /** The heading, also used as the document title. */
  readonly title: string;
  /** Next to the title, such as a status badge. */
  readonly aside?: ReactNode;
  /** The document about this page, by its name in `docs`. */
  readonly guide?: string | undefined;
  /** One sentence below the title. */
  readonly lead?: ReactNode;
  /** Buttons at the right of the title; the primary one comes last. */
  readonly actions?: ReactNode;
  /** With less room around the title, for pages that need the height. */
  readonly isCompact?: boolean;
  readonly children: ReactNode;
}

/** The browser handles focus on the first load; only later navigations move it. */
let isFirstPage = true;

/**
 * Title, actions and content of a page. After a navigation it focuses the title, so that screen
 * readers announce the new page.
 */
export function Page({ title, aside, guide, lead, actions, isCompact, children }: PageProps) {
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
      <header className={classNames(styles.header, isCompact && styles.compact)}>
        <div className="stack-1">
          <div className={styles.title}>
            <h1 ref={heading} tabIndex={-1}>
              {title}
            </h1>
            {aside}
            {guide !== undefined && (
              <Link
                href={`~/guides/${guide}`}
                className={styles.guide}
                aria-label={`Guide: ${title}`}
                title="Guide"
              >
                <BookOpen aria-hidden />
                <span>Guide</span>
              </Link>
            )}
          </div>
          {lead !== undefined && <div className={styles.lead}>{lead}</div>}
        </div>
        {actions !== undefined && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </>
  );
}

interface PanelProps {
  readonly title?: string;
  /** Buttons in the header; shown only with a title. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
  /** Without padding, for tables and lists that reach the border. */
  readonly isFlush?: boolean;
}

/** A bordered section. With a title it is also a landmark of that name. */
export function Panel({ title, actions, children, isFlush = false }: PanelProps) {
  const titleId = useId();
  return (
    <section className={styles.panel} aria-labelledby={title === undefined ? undefined : titleId}>
      {title !== undefined && (
        <header className={styles.panelHeader}>
          <h2 id={titleId}>{title}</h2>
          {actions !== undefined && <div className={styles.panelActions}>{actions}</div>}
        </header>
      )}
      <div className={isFlush ? undefined : styles.panelContent}>{children}</div>
    </section>
  );
}

export function NotFoundPage() {
  return (
    <Page title="Page not found">
      <Panel>
        <EmptyState title="There is no page at this address" illustration="missing">
          <ButtonLink href="~/">Go to presets</ButtonLink>
        </EmptyState>
      </Panel>
    </Page>
  );
}
