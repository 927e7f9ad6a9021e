/**
 * Links from other pages name the version to run in the URL, as a number or as `live`. It becomes a
 * column, and the parameter is removed: after a reload, a column that the user has closed stays
 * closed.
 */

import { useEffect } from 'react';
import { useToast } from '../../../components/toasts.tsx';
import { useUrlParams } from '../../../components/use-url-params.ts';
import { parseExistingVersion } from '../../../features/comparison/version-choice.ts';
import { type Column, columnsMax, type Source } from '../../../features/runs/run-state.ts';
import { newColumnId } from './add-column.tsx';
import type { RunSession } from './run-session.ts';

export function useColumnInUrl(session: RunSession, latest: number): void {
  const { value, change } = useUrlParams();
  const showToast = useToast();
  const wanted = value('run');
  useEffect(() => {
    if (wanted === '') return;
    change({ run: '' }, { replace: true });
    const source = wanted === 'live' ? wanted : parseExistingVersion(wanted, latest);
    if (source === undefined) return;
    const hasResults = session.runs.get().size > 0 || session.allCases.state.get().cells.size > 0;
    const columns = columnsWith(source, session.state.get().columns, hasResults);
    if (columns === undefined) showToast('Remove a column to run another version');
    else session.change({ columns, view: 'one' });
  }, [wanted, latest, session, change, showToast]);
}

/**
 * Adds a column for a version, unless there is one. A single column without results gives way.
 * Undefined if there is no room.
 */
export function columnsWith(
  source: Source,
  columns: readonly Column[],
  hasResults: boolean,
): readonly Column[] | undefined {
  if (columns.some((column) => column.source === source && column.model === '')) return columns;
  const added = { id: newColumnId(columns), source, model: '' };
  if (columns.length === 1 && !hasResults) return [added];
  return columns.length < columnsMax ? [...columns, added] : undefined;
}
