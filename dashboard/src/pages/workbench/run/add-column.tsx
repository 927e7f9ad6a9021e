import { Columns2 } from 'lucide-react';
import { flushSync } from 'react-dom';
import { Button } from '../../../components/button.tsx';
import { useCommands } from '../../../components/commands.ts';
import { useWorkbench } from '../workbench.ts';
import { type Column, columnsMax } from './conversation.ts';

interface AddColumnProps {
  readonly columns: readonly Column[];
  readonly onChange: (columns: readonly Column[]) => void;
}

/** Adds a column to compare with; nothing once there are enough. */
export function AddColumn({ columns, onChange }: AddColumnProps) {
  const { canEdit } = useWorkbench();
  const isFull = columns.length >= columnsMax;
  const add = () => {
    const column = nextColumn(columns, canEdit);
    flushSync(() => onChange([...columns, column]));
    showColumn(column);
  };
  useCommands([!isFull && { title: 'Compare with another version or model', group: 'Workbench', run: add }]);
  if (isFull) return null;
  return (
    <Button onClick={add}>
      <Columns2 aria-hidden="true" />
      Compare
    </Button>
  );
}

/** It may be below the fold, and the user is about to choose its version. */
function showColumn({ id }: Column): void {
  const fields = document.querySelector(`[data-column="${id}"]`);
  fields?.querySelector('select')?.focus({ preventScroll: true });
  fields?.closest('section')?.scrollIntoView({ block: 'nearest' });
}

/** A new column starts with the version that is compared most often. */
function nextColumn(columns: readonly Column[], canDraft: boolean): Column {
  const isLiveShown = columns.some(({ source }) => source === 'live');
  return { id: newColumnId(columns), source: isLiveShown && canDraft ? 'draft' : 'live', model: '' };
}

/** Never that of a column that was removed, whose run may still be on its way. */
export function newColumnId(columns: readonly Column[]): number {
  return Math.max(Date.now(), ...columns.map((column) => column.id + 1));
}
