import type { LucideIcon } from 'lucide-react';
import { Button } from './button.tsx';
import styles from './icon-button.module.css';

interface IconButtonProps {
  readonly icon: LucideIcon;
  /** Tooltip, and the verb of the accessible name. */
  readonly title: string;
  /** The row's name, to complete the accessible name: "Delete ci-key". */
  readonly of: string;
  readonly onClick: () => void;
  readonly isBusy?: boolean;
}

/** An action at the end of a table row, where there is no room for text. */
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
