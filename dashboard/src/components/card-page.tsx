import { type ReactNode, useId } from 'react';
import styles from './card-page.module.css';
import { Loading } from './loading.tsx';
import { ErrorNotice } from './notice.tsx';

interface CardPageProps {
  /** The heading, also used as the document title. */
  readonly title: string;
  /** One sentence below the title. */
  readonly lead?: ReactNode;
  readonly children: ReactNode;
  /** Below the card. */
  readonly foot?: ReactNode;
}

/** A page outside the navigation: one card in the middle of the window. */
export function CardPage({ title, lead, children, foot }: CardPageProps) {
  const titleId = useId();
  return (
    <main className={styles.page}>
      <title>{`${title} · presetd`}</title>
      <section className={styles.card} aria-labelledby={titleId}>
        <header className={styles.header}>
          <Logo />
          <h1 id={titleId}>{title}</h1>
          {lead !== undefined && <p className="muted">{lead}</p>}
        </header>
        {children}
      </section>
      {foot !== undefined && <div className={styles.foot}>{foot}</div>}
    </main>
  );
}

interface CheckingPageProps {
  readonly error: unknown;
  readonly onRetry: () => void;
}

/** Shown until the server has said who is signed in. It stays only if it cannot be reached. */
export function CheckingPage({ error, onRetry }: CheckingPageProps) {
  return (
    <CardPage title="presetd">
      {error ? <ErrorNotice error={error} retry={onRetry} /> : <Loading lines={3} label="Signing in" />}
    </CardPage>
  );
}

/** Decorative: the product name always follows it. */
export function Logo() {
  return <img src="/favicon.svg" alt="" width="22" height="22" />;
}
