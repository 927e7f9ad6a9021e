import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';
import styles from './notice.module.css';

interface NoticeProps {
  /** `danger` for failures, `warning` for consequences that are easy to miss. */
  readonly kind?: 'info' | 'success' | 'warning' | 'danger';
  /** A phrase without a full stop. */
  readonly title?: ReactNode;
  readonly children?: ReactNode;
  /** Buttons below the text. */
  readonly actions?: ReactNode;
}

/** A message inside the page. Errors interrupt screen readers; other kinds wait their turn. */
export function Notice({ kind = 'info', title, children, actions }: NoticeProps) {
  return (
    <div className={classNames(styles.notice, styles[kind])} role={kind === 'danger' ? 'alert' : 'status'}>
      {title !== undefined && <p className={styles.title}>{title}</p>}
      {children !== undefined && <div>{children}</div>}
      {actions !== undefined && <div className={styles.actions}>{actions}</div>}
    </div>
  );
}
