import type { LucideIcon } from 'lucide-react';
import { Button } from './button.tsx';
import styles from './icon-button.module.css';

interface IconButtonProps {
  readonly icon: LucideIcon;
  /** Shown where somebody points at it. */
  readonly title: string;
  /** To what it is done, for those who do not see the row that it stands in. */
  readonly of: string;
  readonly onClick: () => void;
  readonly isBusy?: boolean;
}

/** For the end of a row, where words would leave no room for what the row tells. */
export function IconButton({ icon: Icon, title, of, onClick, isBusy = false }: IconButtonProps) {
  return (
    <Button
      isSmall
      variant="quiet"
      className={styles.icon}
      title={title}
      aria-label={`${title} ${of}`}
      onClick={onClick}
      isBusy={isBusy}
    >
      <Icon aria-hidden="true" />
    </Button>
  );
}
