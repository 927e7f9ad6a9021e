import { ErrorNotice } from '../parts/error-notice.tsx';
import styles from './organization.module.css';
import { useAccess } from './use-access.ts';

/** Says why buttons are missing where it could not be read what may be done; nothing elsewhere. */
export function AccessNotice() {
  const { failure } = useAccess();
  if (failure === undefined) return null;
  return (
    <div className={styles.notice}>
      <ErrorNotice {...failure} title="What you may change could not be read, so buttons are missing." />
    </div>
  );
}
