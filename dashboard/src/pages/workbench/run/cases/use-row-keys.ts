import { type FocusEvent, type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react';
import { type Place, placeAfter } from './place-after.ts';

/**
 * Moves the focus between the controls of a table of which only some rows are rendered. Rows have
 * `data-row` with their index. `show` scrolls to a row, which is then rendered.
 */
export function useRowKeys(rowCount: number, show: (row: number) => void) {
  const body = useRef<HTMLTableSectionElement>(null);
  /** The row that had the focus last. */
  const [current, setCurrent] = useState(0);
  const wanted = useRef<Place>(undefined);

  function focusWanted(): void {
    const place = wanted.current;
    const row = place && body.current?.querySelector<HTMLElement>(`[data-row="${place.row}"]`);
    if (place === undefined || row == null) return;
    wanted.current = undefined;
    controlsIn(row)[place.control]?.focus();
  }
  // The row may only now be there.
  useLayoutEffect(focusWanted);

  function onKeyDown(event: KeyboardEvent): void {
    const row = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-row]') : null;
    if (row === null || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const controls = controlsIn(row);
    const place = { row: Number(row.dataset.row), control: controls.indexOf(event.target as HTMLElement) };
    const next = placeAfter(event.key, place, { rows: rowCount, controls: controls.length });
    if (next === undefined) return;
    event.preventDefault();
    wanted.current = next;
    const isRendered = body.current?.querySelector(`[data-row="${next.row}"]`) != null;
    if (!isRendered) show(next.row);
    focusWanted();
  }

  function onFocus({ target }: FocusEvent): void {
    const row = target.closest<HTMLElement>('[data-row]');
    if (row !== null) setCurrent(Number(row.dataset.row));
  }

  return { body, current, onKeyDown, onFocus };
}

function controlsIn(row: HTMLElement): HTMLElement[] {
  return [...row.querySelectorAll<HTMLElement>('input, button')];
}
