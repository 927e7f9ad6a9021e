import type { ComponentProps } from 'react';
import { Link } from 'wouter';
import styles from './button.module.css';
import { classNames } from './class-names.ts';

export type ButtonVariant = 'plain' | 'primary' | 'danger' | 'quiet';

interface Look {
  readonly variant?: ButtonVariant;
  readonly isSmall?: boolean;
}

interface ButtonProps extends ComponentProps<'button'>, Look {
  /** Something is under way: it cannot be pressed again, and says so. */
  readonly isBusy?: boolean;
}

export function Button(props: ButtonProps) {
  const { variant, isSmall, isBusy = false, type = 'button', className, onClick, ...rest } = props;
  return (
    <button
      {...rest}
      type={type}
      onClick={isBusy ? (event) => event.preventDefault() : onClick}
      // Not disabled, which would take the focus from whoever pressed it by keyboard.
      aria-disabled={isBusy || undefined}
      aria-busy={isBusy || undefined}
      className={classNames(lookOf({ variant, isSmall }), className)}
    />
  );
}

interface ButtonLinkProps extends Look {
  readonly href: string;
  readonly children: React.ReactNode;
  readonly className?: string;
}

/** Looks like a button, and leads to another page. */
export function ButtonLink({ href, variant, isSmall, className, children }: ButtonLinkProps) {
  return (
    <Link href={href} className={classNames(lookOf({ variant, isSmall }), className)}>
      {children}
    </Link>
  );
}

function lookOf({
  variant = 'plain',
  isSmall,
}: {
  variant?: ButtonVariant | undefined;
  isSmall?: boolean | undefined;
}) {
  return classNames(styles.button, styles[variant], isSmall && styles.small);
}
