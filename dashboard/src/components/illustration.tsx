import type { ReactNode } from 'react';
import styles from './illustration.module.css';

export type IllustrationName = keyof typeof drawings;

/** A small decorative drawing: cards in thin lines, with one detail in the accent color. */
export function Illustration({ name }: { readonly name: IllustrationName }) {
  return (
    <svg viewBox="0 0 120 80" aria-hidden="true" className={styles.illustration}>
      {drawings[name]}
    </svg>
  );
}

const rows: ReactNode = (
  <>
    <rect x="22" y="8" width="76" height="18" rx="5" className={styles.back} />
    <rect x="16" y="30" width="88" height="20" rx="5" />
    <rect x="22" y="54" width="76" height="18" rx="5" className={styles.back} />
    <path d="M38 40h30M38 17h20M38 63h24" />
  </>
);

const drawings = {
  /** Nothing there yet. */
  list: (
    <>
      {rows}
      <circle cx="27" cy="40" r="4" className={styles.accent} />
      <path d="M92 36v8M88 40h8" className={styles.accent} />
    </>
  ),
  /** Nothing found. */
  search: (
    <>
      {rows}
      <circle cx="82" cy="42" r="15" className={styles.lens} />
      <path d="m93 53 11 11" className={styles.accent} />
      <path d="M77 42h10" className={styles.accent} />
    </>
  ),
  /** The first of its kind: a request that becomes a preset. */
  capture: (
    <>
      <rect x="8" y="16" width="42" height="48" rx="5" className={styles.back} />
      <path d="M16 28h20M16 36h26M16 44h14" />
      <rect x="70" y="16" width="42" height="48" rx="5" />
      <path d="M78 32h26M78 48h26" />
      <circle cx="86" cy="32" r="4" className={styles.knob} />
      <circle cx="97" cy="48" r="4" className={styles.knob} />
      <path d="M54 40h11m-4-4 4 4-4 4" className={styles.accent} />
    </>
  ),
  /** An address that leads nowhere. */
  missing: (
    <>
      <rect x="28" y="10" width="64" height="60" rx="6" className={styles.back} />
      <path d="M28 24h64M35 17h.01M41 17h.01M47 17h.01" />
      <path d="M54 40a6 6 0 1 1 8 6c-2 1-2 2-2 4M60 57h.01" className={styles.accent} />
    </>
  ),
} as const satisfies Readonly<Record<string, ReactNode>>;
