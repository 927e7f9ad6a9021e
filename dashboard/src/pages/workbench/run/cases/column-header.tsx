import { X } from 'lucide-react';
import { IconButton } from '../../../../components/button.tsx';
import type { Column } from '../../../../features/runs/run-state.ts';
import { ColumnFields } from '../column-fields.tsx';
import type { Sources, Target } from '../use-targets.ts';
import styles from './all-cases.module.css';

interface ColumnHeaderProps {
  readonly target: Target;
  readonly sources: Sources;
  readonly onChange: (column: Column) => void;
  /** Undefined for the only column. */
  readonly onRemove: (() => void) | undefined;
}

/** Chooses what a column tries, above its results. */
export function ColumnHeader({ target, sources, onChange, onRemove }: ColumnHeaderProps) {
  const { column, name } = target;
  return (
    <section className={styles.columnFields} aria-label={name} data-column={column.id}>
      <ColumnFields target={target} sources={sources} onChange={onChange} />
      {onRemove && <IconButton icon={X} title="Remove column" of={name} onClick={onRemove} />}
    </section>
  );
}
