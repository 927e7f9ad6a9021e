import type { ReactNode } from 'react';
import styles from './badge.module.css';
import { classNames } from './class-names.ts';
import { capitalize } from './text.ts';

export type Tone = 'neutral' | 'accent' | 'live' | 'label' | 'warning' | 'danger';

/** A short status word in a colored pill. */
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
  disabled: 'warning',
};

/** The status of a preset. An unknown status from a newer server is shown in neutral colors. */
export function StatusBadge({ status }: { readonly status: string }) {
  return <Badge tone={toneOf[status] ?? 'neutral'}>{capitalize(status)}</Badge>;
}
