import { Tabs } from '@base-ui/react/tabs';
import { Fragment, type ReactNode, useSyncExternalStore } from 'react';
import { Group, Panel, Separator, useDefaultLayout } from 'react-resizable-panels';
import styles from './workbench.module.css';

interface Part {
  readonly id: string;
  readonly title: string;
  readonly content: ReactNode;
}

/**
 * Three parts beside each other whose widths the user can change. On a tablet the first two share a
 * column as tabs, on a phone all of them do.
 */
export function WorkbenchLayout({ parts }: { readonly parts: readonly [Part, Part, Part] }) {
  const width = useWidth();
  if (width === 'narrow') return <PartTabs parts={parts} />;
  const [prompt, settings, run] = parts;
  if (width === 'wide')
    return (
      <Columns id="workbench" columns={parts.map((part) => ({ ...part, content: <Titled {...part} /> }))} />
    );
  const left = { ...prompt, content: <PartTabs parts={[prompt, settings]} /> };
  return <Columns id="workbench-2" columns={[left, { ...run, content: <Titled {...run} /> }]} />;
}

function Titled({ title, content }: Part) {
  return (
    <section className={styles.part} aria-label={title}>
      <h2 className={styles.partTitle}>{title}</h2>
      <div className={styles.partContent}>{content}</div>
    </section>
  );
}

interface ColumnsProps {
  /** Under which the browser remembers the widths. */
  readonly id: string;
  readonly columns: readonly Part[];
}

function Columns({ id, columns }: ColumnsProps) {
  const layout = useDefaultLayout({ id: `presetd.${id}`, panelIds: columns.map((column) => column.id) });
  return (
    // The group fills its parent.
    <div className={styles.columns}>
      <Group {...layout} orientation="horizontal">
        {columns.map((column, index) => (
          <Fragment key={column.id}>
            {index > 0 && (
              <Separator className={styles.separator} aria-label={`Resize ${column.title.toLowerCase()}`} />
            )}
            <Panel id={column.id} minSize="240px">
              {column.content}
            </Panel>
          </Fragment>
        ))}
      </Group>
    </div>
  );
}

/** All parts stay mounted, so that changing tabs stops no run and loses no scroll position. */
function PartTabs({ parts }: { readonly parts: readonly Part[] }) {
  return (
    <Tabs.Root defaultValue={parts[0]?.id} className={styles.tabs}>
      <Tabs.List className={styles.tabList} aria-label="Workbench">
        {parts.map(({ id, title }) => (
          <Tabs.Tab key={id} value={id} className={styles.tab}>
            {title}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {parts.map(({ id, title, content }) => (
        <Tabs.Panel key={id} value={id} keepMounted className={styles.partContent}>
          <h2 className="visually-hidden">{title}</h2>
          {content}
        </Tabs.Panel>
      ))}
    </Tabs.Root>
  );
}

type Width = 'wide' | 'medium' | 'narrow';

const wide = matchMedia('(width >= 1100px)');
const narrow = matchMedia('(width < 760px)');

function useWidth(): Width {
  return useSyncExternalStore(subscribe, () =>
    wide.matches ? 'wide' : narrow.matches ? 'narrow' : 'medium',
  );
}

function subscribe(onChange: () => void): () => void {
  for (const query of [wide, narrow]) query.addEventListener('change', onChange);
  return () => {
    for (const query of [wide, narrow]) query.removeEventListener('change', onChange);
  };
}
