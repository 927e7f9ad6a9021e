import { type ReactNode, useId } from 'react';
import styles from './panel.module.css';

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
        <header className={styles.header}>
          <h2 id={titleId}>{title}</h2>
          {actions !== undefined && <div className={styles.actions}>{actions}</div>}
        </header>
      )}
      <div className={isFlush ? undefined : styles.content}>{children}</div>
    </section>
  );
}
