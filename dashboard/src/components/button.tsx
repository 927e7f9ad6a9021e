import type { LucideIcon } from 'lucide-react';
import type { ComponentProps } from 'react';
import { Link } from 'wouter';
import styles from './button.module.css';
import { classNames } from './class-names.ts';

export type ButtonVariant = 'plain' | 'primary' | 'danger' | 'quiet';

interface ButtonStyle {
  /** `primary` once per view, `danger` for destructive actions, `quiet` without a border. */
  readonly variant?: ButtonVariant;
  readonly isSmall?: boolean;
}

interface ButtonProps extends ComponentProps<'button'>, ButtonStyle {
  /** An operation is running: the button ignores clicks and announces that it is busy. */
  readonly isBusy?: boolean;
}

/** A button that does not submit forms unless its type says so. */
export function Button(props: ButtonProps) {
  const { variant, isSmall, isBusy = false, type = 'button', className, onClick, ...rest } = props;
  return (
    <button
      {...rest}
      type={type}
      onClick={isBusy ? (event) => event.preventDefault() : onClick}
      // `disabled` would take focus away from a keyboard user who has just pressed it.
      aria-disabled={isBusy || undefined}
      aria-busy={isBusy || undefined}
      className={buttonClass({ variant, isSmall, className })}
    />
  );
}

interface ButtonLinkProps extends ButtonStyle {
  readonly href: string;
  readonly children: React.ReactNode;
  readonly className?: string;
}

/** A link that looks like a button. */
export function ButtonLink({ href, variant, isSmall, className, children }: ButtonLinkProps) {
  return (
    <Link href={href} className={buttonClass({ variant, isSmall, className })}>
      {children}
    </Link>
  );
}

interface ButtonClassOptions {
  readonly variant?: ButtonVariant | undefined;
  readonly isSmall?: boolean | undefined;
  readonly className?: string | undefined;
}

/** For links that leave the dashboard, which must not be a `ButtonLink`. */
export function buttonClass({ variant = 'plain', isSmall, className }: ButtonClassOptions): string {
  return classNames(styles.button, styles[variant], isSmall && styles.small, className);
}

interface IconButtonProps {
  readonly icon: LucideIcon;
  /** Tooltip, and the verb of the accessible name. */
  readonly title: string;
  /** The row's name, to complete the accessible name: "Delete ci-key". */
  readonly of: string;
  readonly onClick: () => void;
  readonly isBusy?: boolean;
  /** Shows the title beside the icon, to suggest the action. */
  readonly hasCaption?: boolean;
}

/** An action at the end of a table row, where there is no room for text. */
export function IconButton(props: IconButtonProps) {
  const { icon: Icon, title, of, onClick, isBusy = false, hasCaption = false } = props;
  return (
    <Button
      isSmall
      variant={hasCaption ? 'plain' : 'quiet'}
      className={hasCaption ? undefined : styles.icon}
      title={title}
      aria-label={`${title} ${of}`}
      onClick={onClick}
      isBusy={isBusy}
    >
      <Icon aria-hidden="true" />
      {hasCaption && title}
    </Button>
  );
}
