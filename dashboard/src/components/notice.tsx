import { CircleAlert, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { ApiError } from '../api/api-error.ts';
import { Button } from './button.tsx';
import { classNames } from './class-names.ts';
import { Illustration, type IllustrationName } from './illustration.tsx';
import styles from './notice.module.css';

/** `danger` for failures, `warning` for consequences that are easy to miss. */
type NoticeKind = 'info' | 'warning' | 'danger';

interface NoticeProps {
  readonly kind?: NoticeKind;
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
      <NoticeIcon kind={kind} />
      <div className={styles.text}>
        {title !== undefined && <p className={styles.title}>{title}</p>}
        {children !== undefined && <div>{children}</div>}
        {actions !== undefined && <div className={styles.actions}>{actions}</div>}
      </div>
    </div>
  );
}

const icons = { info: Info, warning: TriangleAlert, danger: CircleAlert };

/** Says what kind of message follows, in its color. The text says it, too. */
export function NoticeIcon({ kind }: { readonly kind: NoticeKind }) {
  const Icon = icons[kind];
  return <Icon aria-hidden="true" className={classNames(styles.icon, styles[`${kind}Icon`])} />;
}

interface ErrorNoticeProps {
  readonly error: unknown;
  /** The failure as a short phrase. */
  readonly title?: string | undefined;
  /** Shows a "Try again" button. Omit it where repeating the request would not help. */
  readonly retry?: () => void;
}

/** The server's message with status and request ID, which support needs to find the log entry. */
export function ErrorNotice({ error, title, retry }: ErrorNoticeProps) {
  return (
    <Notice
      kind="danger"
      title={title}
      actions={
        retry && (
          <Button isSmall onClick={retry}>
            Try again
          </Button>
        )
      }
    >
      {messageOf(error)}
      {error instanceof ApiError && error.status > 0 && (
        <>
          {' '}
          <small>
            Status {error.status}
            {error.requestId !== undefined && (
              <>
                , request <code>{error.requestId}</code>
              </>
            )}
          </small>
        </>
      )}
    </Notice>
  );
}

/** The message of anything that can be thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

interface EmptyStateProps {
  readonly title: string;
  /** What to do about it. */
  readonly children?: ReactNode;
  /** By default it depends on whether filters hide everything. */
  readonly illustration?: IllustrationName;
}

/** Shown in place of an empty list: what is missing and what to do. */
export function EmptyState({ title, children, illustration }: EmptyStateProps) {
  const usual = title.startsWith('No matching') ? 'search' : 'list';
  return (
    <div className={styles.empty}>
      <Illustration name={illustration ?? usual} />
      <h2>{title}</h2>
      {children}
    </div>
  );
}
