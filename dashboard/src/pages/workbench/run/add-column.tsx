import { Columns2 } from 'lucide-react';
import { flushSync } from 'react-dom';
import { Button } from '../../../components/button.tsx';
import { useCommands } from '../../../components/commands.ts';
import { type Column, columnsMax, parseSource, type Source } from '../../../features/runs/run-state.ts';
import { useWorkbench } from '../workbench.ts';
import type { Sources } from './use-targets.ts';

interface AddColumnProps {
  readonly columns: readonly Column[];
  readonly sources: Sources;
  readonly onChange: (columns: readonly Column[]) => void;
}

/** Adds a column to compare with; nothing once there are enough. */
export function AddColumn({ columns, sources, onChange }: AddColumnProps) {
  const live = useWorkbench().preset?.preset.designated_version.version;
  const isFull = columns.length >= columnsMax;
  const add = () => {
    const column = { id: newColumnId(columns), source: nextSource(columns, sources, live), model: '' };
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

/** The first that no column has: the draft, the live version, then the newest others. */
function nextSource(columns: readonly Column[], sources: Sources, live: number | undefined): Source {
  const isShown = (value: string) =>
    value === String(live) || columns.some(({ source }) => String(source) === value);
  const [free = live === undefined ? 'draft' : 'live'] = sources
    .map(([value]) => value)
    .filter((value) => !isShown(value));
  return parseSource(free);
}

/** Never that of a column that was removed, whose run may still be on its way. */
export function newColumnId(columns: readonly Column[]): number {
  return Math.max(Date.now(), ...columns.map((column) => column.id + 1));
}
