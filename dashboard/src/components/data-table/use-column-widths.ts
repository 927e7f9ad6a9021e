import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { Column } from './column.ts';
import { type ColumnNeed, columnWidths } from './column-widths.ts';
import styles from './data-table.module.css';

/** On narrower screens, rows are cards. */
const cardsBelow = 720;

interface Measured<Row> {
  /** Those that are shown. */
  readonly columns: readonly Column<Row>[];
  /** How many columns of `controlWidth` there are besides, such as that of the menus. */
  readonly controlCount: number;
  /** The widths are measured anew when this changes. */
  readonly rows: unknown;
}

/** Of the columns with a checkbox, a toggle or a menu. */
const controlWidth = 44;

/**
 * The width of each column in pixels, by the content of the rows that are rendered. In a long list,
 * of which others are rendered as the user scrolls, the widths must not change meanwhile, so `rows`
 * is then what stands for the order of the list.
 */
export function useColumnWidths<Row>({ columns, controlCount, rows }: Measured<Row>) {
  const box = useRef<HTMLDivElement>(null);
  const boxWidth = useBoxWidth(box);
  const fontLoads = useFontLoads();
  const [naturals, setNaturals] = useState<readonly number[]>([]);
  const areCards = window.innerWidth < cardsBelow;
  // biome-ignore lint/correctness/useExhaustiveDependencies: these decide what is measured
  useLayoutEffect(() => {
    // New columns also stand for the names of people, which arrive after the rows.
    const table = box.current?.querySelector('table');
    if (table && !areCards) setNaturals(naturalWidths(table));
  }, [columns, rows, areCards, fontLoads]);
  const widths = useMemo(() => {
    if (naturals.length !== columns.length) return undefined;
    const needs = columns.map((column, index) => needOf(column, naturals[index] ?? 0));
    return columnWidths(needs, boxWidth - controlCount * controlWidth);
  }, [naturals, columns, boxWidth, controlCount]);
  const total = (widths ?? []).reduce((sum, width) => sum + width, controlCount * controlWidth);
  return { box, widths, total, isTooNarrow: !areCards && Math.floor(total) > Math.ceil(boxWidth) };
}

/** A text that has to be shortened keeps at least this. The name of a row keeps more. */
const [textMin, nameMin] = [110, 190];

function needOf<Row>(
  { isFit, isNumber, isFixed, isNarrow = false }: Column<Row>,
  natural: number,
): ColumnNeed {
  if (isFit || isNumber) return { natural, min: natural, grows: false };
  return { natural, min: isFixed ? nameMin : textMin, grows: !isNarrow, isName: isFixed ?? false };
}

function useBoxWidth(box: { readonly current: HTMLDivElement | null }): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    if (box.current === null) return;
    const observer = new ResizeObserver(([entry]) => entry && setWidth(entry.contentRect.width));
    observer.observe(box.current);
    setWidth(box.current.clientWidth);
    return () => observer.disconnect();
  }, [box]);
  return width;
}

/** How often fonts have arrived: until then, texts have the width of another font. */
function useFontLoads(): number {
  const [count, setCount] = useState(0);
  useEffect(() => {
    const remember = () => setCount((before) => before + 1);
    document.fonts.addEventListener('loadingdone', remember);
    return () => document.fonts.removeEventListener('loadingdone', remember);
  }, []);
  return count;
}

/** The widths that the columns would have if the table were as wide as its content. */
function naturalWidths(table: HTMLTableElement): readonly number[] {
  const measuring = styles.measuring ?? '';
  table.classList.add(measuring);
  const headers = [...table.querySelectorAll<HTMLElement>('thead th[data-column]')];
  // Rounded up: a fraction less would cut off the last letter.
  const widths = headers.map((header) => Math.ceil(header.getBoundingClientRect().width));
  table.classList.remove(measuring);
  return widths;
}
