import { Button } from '../../components/button.tsx';
import styles from './workbench.module.css';
import { useWorkbench } from './workbench.ts';

interface SaveBarProps {
  /** The version that the draft started from, as a request. */
  readonly pristine: string;
  /** Called after a version was saved. */
  readonly onSaved: () => void;
}

/** The state of the draft, and what can be done with it. */
export function SaveBar({ pristine }: SaveBarProps) {
  const { base, isChanged, replaceText, canEdit } = useWorkbench();
  return (
    <div className={styles.bar}>
      <span className={styles.barStatus}>
        {isChanged ? `Draft from version ${base}` : `Version ${base}, unchanged`}
      </span>
      {canEdit && isChanged && <Button onClick={() => replaceText(pristine)}>Discard draft</Button>}
    </div>
  );
}
