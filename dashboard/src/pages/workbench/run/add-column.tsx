import { Columns2 } from 'lucide-react';
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
  const add = () => onChange([...columns, nextColumn(columns, canEdit)]);
  useCommands([!isFull && { title: 'Compare with another version or model', group: 'Workbench', run: add }]);
  if (isFull) return null;
  return (
    <Button onClick={add}>
      <Columns2 aria-hidden="true" />
      Compare
    </Button>
  );
}

/** A new column starts with the version that is compared most often. */
function nextColumn(columns: readonly Column[], canDraft: boolean): Column {
  // Never one of a column that was removed, whose run may still be on its way.
  const id = Math.max(Date.now(), ...columns.map((column) => column.id + 1));
  const isLiveShown = columns.some(({ source }) => source === 'live');
  return { id, source: isLiveShown && canDraft ? 'draft' : 'live', model: '' };
}
