import type { ReactNode } from 'react';
import styles from './badge.module.css';
import { classNames } from './class-names.ts';

export type Tone = 'neutral' | 'accent' | 'success' | 'warning' | 'danger';

/** A word about the state of something. */
export function Badge({
  tone = 'neutral',
  children,
}: {
  readonly tone?: Tone;
  readonly children: ReactNode;
}) {
  return <span className={classNames(styles.badge, styles[tone])}>{children}</span>;
}

const toneOf: Readonly<Record<string, Tone>> = {
  active: 'success',
  disabled: 'warning',
  archived: 'neutral',
};

export function StatusBadge({ status }: { readonly status: string }) {
  return <Badge tone={toneOf[status] ?? 'neutral'}>{status}</Badge>;
}
