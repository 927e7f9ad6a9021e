import { type ReactNode, useId } from 'react';
import styles from './panel.module.css';

interface PanelProps {
  readonly title?: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
  /** The content brings its own space, as tables do. */
  readonly isFlush?: boolean;
}

/** A part of a page that stands for itself. */
export function Panel({ title, actions, children, isFlush = false }: PanelProps) {
  const titleId = useId();
  return (
    <section className={styles.panel} aria-labelledby={title === undefined ? undefined : titleId}>
      {title !== undefined && (
        <header className={styles.header}>
          <h2 id={titleId}>{title}</h2>
          {actions !== undefined && <div className={styles.actions}>{actions}</div>}
        </header>
      )}
      <div className={isFlush ? undefined : styles.content}>{children}</div>
    </section>
  );
}
