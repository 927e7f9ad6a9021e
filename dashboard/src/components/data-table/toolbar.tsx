import { Columns3, Download } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { RowSource } from '../../api/row-source.ts';
import { Button } from '../button.tsx';
import { SearchField, SelectField } from '../fields.tsx';
import { Menu } from '../menu.tsx';
import { messageOf } from '../notice.tsx';
import { formatCount, formatNumber } from '../text.ts';
import { useToast } from '../toasts.tsx';
import { useUrlParams } from '../use-url-params.ts';
import { type Column, type Facet, formatSort, isSortable, parseSort, type Sort } from './column.ts';
import styles from './data-table.module.css';
import { download, type ExportFormat, exportFileName, toCsv, toJson } from './export-rows.ts';
import type { SearchOptions } from './table-options.ts';
import type { useColumnChoices } from './table-state.ts';

interface ToolbarProps<Row> {
  readonly id: string;
  readonly noun: readonly [one: string, many: string];
  readonly columns: readonly Column<Row>[];
  readonly choices: ReturnType<typeof useColumnChoices<Row>>;
  readonly search: SearchOptions | undefined;
  readonly facets: readonly Facet<Row>[];
  readonly filters: ReactNode;
  readonly source: RowSource<Row>;
  readonly sort: Sort | undefined;
  readonly onSort: (sort: Sort | undefined) => void;
  /** The rows to export; undefined if they have to be fetched. */
  readonly exported: readonly Row[] | undefined;
  /** The filters of the browser, for rows that have to be fetched; undefined without any. */
  readonly refine: ((rows: readonly Row[]) => readonly Row[]) | undefined;
  /** The rest of the list is loading, because a sort or filter needs it. */
  readonly isLoadingAll: boolean;
}

/** Filters on the left; columns and export on the right. */
export function Toolbar<Row>(props: ToolbarProps<Row>) {
  const { columns, choices, search, facets, filters, sort, onSort } = props;
  const { value, change } = useUrlParams();
  const sortable = columns.filter(isSortable);
  return (
    <div className={styles.toolbar}>
      <search className={styles.filters}>
        {search && (
          <div className={styles.search}>
            <SearchField
              {...fieldOf(search)}
              q={value('q')}
              onSearch={(q) => change({ q }, { replace: true })}
            />
          </div>
        )}
        {filters}
        {facets.map(({ id, label, options }) => (
          <SelectField
            key={id}
            label={label}
            isLabelHidden
            value={options.find(([option]) => option === value(id))?.[0] ?? options[0]?.[0] ?? ''}
            options={options}
            onChange={(next) => change({ [id]: next === options[0]?.[0] ? '' : next }, { replace: true })}
          />
        ))}
      </search>
      <div className={styles.tools}>
        {sortable.length > 0 && (
          <div className={styles.sortField}>
            <SelectField
              label="Sort by"
              isLabelHidden
              value={formatSort(sort)}
              options={sortOptions(sortable)}
              onChange={(next) => onSort(parseSort(next))}
            />
          </div>
        )}
        <ColumnChooser columns={columns} choices={choices} />
        <ExportMenu {...props} />
      </div>
    </div>
  );
}

/** Without what is about the table. */
function fieldOf({ label, placeholder, maxLength }: SearchOptions) {
  return { label, placeholder, maxLength };
}

/** For narrow screens, which have no column headers. */
function sortOptions<Row>(columns: readonly Column<Row>[]): readonly (readonly [string, string])[] {
  return [
    ['', 'Default order'],
    ...columns.flatMap(({ id, title }) => [
      [id, `${title}, ascending`] as const,
      [`-${id}`, `${title}, descending`] as const,
    ]),
  ];
}

function ColumnChooser<Row>({ columns, choices }: Pick<ToolbarProps<Row>, 'columns' | 'choices'>) {
  const optional = columns.filter(({ isFixed }) => !isFixed);
  if (optional.length === 0) return null;
  return (
    <Menu
      label="Columns"
      buttonClassName={styles.tool}
      button={
        <>
          <Columns3 aria-hidden="true" />
          Columns
        </>
      }
      items={[
        ...optional.map((column) => ({
          text: column.title,
          isCurrent: choices.isShown(column),
          staysOpen: true,
          onClick: () => choices.setShown(column, !choices.isShown(column)),
        })),
        choices.reset && { text: 'Reset columns', startsGroup: true, onClick: choices.reset },
      ]}
    />
  );
}

/** Exports all rows that match, in the order of the table, not only those that are loaded. */
function ExportMenu<Row>(props: ToolbarProps<Row>) {
  const { id, noun, columns, source, exported, refine, isLoadingAll } = props;
  const [progress, setProgress] = useState<number>();
  const running = useRef<AbortController>(undefined);
  const showToast = useToast();
  // The user has left, so do not download a file.
  useEffect(() => () => running.current?.abort(), []);
  // The browser's filters apply after the rows are fetched, so their number is not known yet.
  const total = exported === undefined ? (refine ? undefined : source.total) : exported.length;
  const count =
    total === undefined || !source.isTotalExact ? `all matching ${noun[1]}` : formatCount(total, ...noun);

  async function run(format: ExportFormat) {
    const controller = new AbortController();
    running.current = controller;
    try {
      const { signal } = controller;
      if (exported === undefined) setProgress(0);
      const { rows: all, isCut } =
        exported === undefined
          ? await source.fetchAll({ signal, onProgress: setProgress })
          : { rows: exported, isCut: false };
      const rows = exported === undefined && refine ? refine(all) : all;
      if (signal.aborted) return;
      const text = format === 'CSV' ? toCsv(rows, columns) : toJson(rows);
      download(exportFileName(id, format, new Date()), format, text);
      const scope = isCut ? `, out of the first ${formatNumber(all.length)}` : '';
      showToast(`Exported ${formatCount(rows.length, ...noun)}${scope}`);
    } catch (error) {
      if (!controller.signal.aborted) showToast(`Could not export the ${noun[1]}: ${messageOf(error)}`);
    } finally {
      if (running.current === controller) setProgress(undefined);
    }
  }

  if (progress !== undefined)
    return (
      <RowProgress label="Export" count={progress} source={source}>
        <Button
          isSmall
          onClick={() => {
            running.current?.abort();
            setProgress(undefined);
          }}
        >
          Cancel export
        </Button>
      </RowProgress>
    );
  if (isLoadingAll)
    return <RowProgress label="Loading all rows" count={source.rows?.length ?? 0} source={source} />;
  return (
    <Menu
      label="Export"
      buttonClassName={styles.tool}
      isDisabled={source.rows === undefined || total === 0}
      button={
        <>
          <Download aria-hidden="true" />
          Export
        </>
      }
      items={(['CSV', 'JSON'] as const).map((format) => ({
        text: `Export ${count} as ${format}`,
        onClick: () => void run(format),
      }))}
    />
  );
}

interface RowProgressProps<Row> {
  readonly label: string;
  readonly count: number;
  readonly source: RowSource<Row>;
  readonly children?: ReactNode;
}

/** How many rows have been loaded, out of how many if that is known. */
function RowProgress<Row>({
  label,
  count,
  source: { total, isTotalExact },
  children,
}: RowProgressProps<Row>) {
  const max = isTotalExact ? total : undefined;
  return (
    <span className={styles.progress}>
      <progress aria-label={label} {...(max !== undefined && { value: Math.min(count, max), max })} />
      {formatNumber(count)}
      {max !== undefined && ` of ${formatNumber(max)}`}
      {children}
    </span>
  );
}
