import { ErrorNotice } from '../ui/error-notice.tsx';
import styles from './organization.module.css';
import { useAccess } from './use-access.ts';

/** Explains missing buttons if the user's role could not be loaded; otherwise renders nothing. */
export function AccessNotice() {
  const { failure } = useAccess();
  if (failure === undefined) return null;
  return (
    <div className={styles.notice}>
      <ErrorNotice {...failure} title="Could not load your permissions, so some buttons are hidden" />
    </div>
  );
}
