/**
 * Arranges the parts of the workbench by the width of the window.
 *
 * Each part is rendered once, into an element of its own that the layouts move around. Its state,
 * such as a running response or the undo history of an editor, survives a change of layout. So does
 * the keyboard focus, which elements lose when they move.
 */

import { Tabs } from '@base-ui/react/tabs';
import { EditorView } from '@codemirror/view';
import { Maximize2, Minimize2 } from 'lucide-react';
import {
  Component,
  Fragment,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { createPortal } from 'react-dom';
import { Group, Panel, Separator, useDefaultLayout } from 'react-resizable-panels';
import { IconButton } from '../../components/button.tsx';
import { useStore } from '../../components/store.ts';
import { TabList } from '../../components/tabs.tsx';
import { useRunSession } from './run/run-session.ts';
import styles from './workbench.module.css';

type PartId = 'prompt' | 'settings' | 'run';

interface Part<Id extends PartId = PartId> {
  readonly id: Id;
  readonly title: string;
  /** Memoized: it must not render whenever the layout does. */
  readonly content: ReactNode;
}

/** The visible parts, regardless of the width of the window. */
export interface View {
  /** The part to show where they are tabs. */
  readonly shown: PartId;
  /** The part that fills the page. */
  readonly maximized?: PartId | undefined;
}

interface WorkbenchLayoutProps {
  readonly parts: readonly [Part<'prompt'>, Part<'settings'>, Part<'run'>];
  readonly view: View;
  readonly onView: (view: View) => void;
}

/**
 * Three parts beside each other whose widths the user can change. On a tablet the first two share a
 * column as tabs, on a phone all of them do. The prompt can fill the page, to write without the
 * rest, and so can the run, for wide comparisons.
 */
export function WorkbenchLayout({ parts, view, onView }: WorkbenchLayoutProps) {
  const [hosts] = useState(() => [createHost(), createHost(), createHost()] as const);
  const [actionHosts] = useState(() => ({ prompt: createHost(), run: createHost() }));
  const [prompt, settings, run] = parts;
  const placed: Placed = [
    { ...prompt, host: hosts[0] },
    { ...settings, host: hosts[1] },
    { ...run, host: hosts[2] },
  ];
  const { canFit } = useWidthsMin();
  const width = useWidth(() => {
    const used = placed.find(({ host }) => host.contains(document.activeElement));
    if (used !== undefined) onView({ ...view, shown: used.id });
  });
  return (
    <>
      <KeptFocus>
        <Arrangement parts={placed} view={view} onView={onView} width={width} actionHosts={actionHosts} />
      </KeptFocus>
      {[prompt, run].map((part) => {
        const isMaximized = view.maximized === part.id;
        const toggle = (
          <IconButton
            icon={isMaximized ? Minimize2 : Maximize2}
            title={isMaximized ? 'Restore' : 'Maximize'}
            of={part.title.toLowerCase()}
            hasCaption={part.id === 'run' && !isMaximized && !canFit}
            onClick={() => onView({ ...view, maximized: isMaximized ? undefined : part.id })}
          />
        );
        return createPortal(toggle, actionHosts[part.id], part.id);
      })}
      {placed.map(({ id, host, content }) => createPortal(content, host, id))}
    </>
  );
}

/** A part that is rendered in its own element. */
type PlacedPart = Part & { readonly host: HTMLElement };
type Placed = readonly [PlacedPart, PlacedPart, PlacedPart];

function createHost(): HTMLElement {
  const host = document.createElement('div');
  host.className = styles.host ?? '';
  return host;
}

/** Returns the keyboard focus to an element that loses it because it moves. */
class KeptFocus extends Component<{ readonly children: ReactNode }> {
  override getSnapshotBeforeUpdate(): Element | null {
    return focusedElement();
  }

  override componentDidUpdate(_props: unknown, _state: unknown, focused: Element | null): void {
    const isLost = document.activeElement === document.body;
    if (!isLost || !(focused instanceof HTMLElement) || !focused.isConnected) return;
    // An editor also puts its cursor back; what is typed at once would go to the beginning.
    (EditorView.findFromDOM(focused) ?? focused).focus();
  }

  override render() {
    return this.props.children;
  }
}

/** Editors have their text in a shadow root. */
function focusedElement(): Element | null {
  const { activeElement } = document;
  return activeElement?.shadowRoot?.activeElement ?? activeElement;
}

/** The place of a part in the current layout. */
function Slot({ host }: { readonly host: HTMLElement }) {
  const slot = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    slot.current?.append(host);
    // A dialog that moves is no longer modal.
    for (const dialog of host.querySelectorAll<HTMLDialogElement>('dialog[open]:not(:modal)')) {
      dialog.close();
      dialog.showModal();
    }
  }, [host]);
  return <div ref={slot} className={styles.host} />;
}

interface ArrangementProps extends Omit<WorkbenchLayoutProps, 'parts'> {
  readonly parts: Placed;
  readonly width: Width;
  /** They have the buttons that maximize a part. */
  readonly actionHosts: Readonly<Record<'prompt' | 'run', HTMLElement>>;
}

/** Of the prompt and of the settings; comfortably, if the responses beside them leave the room. */
const partWidthMin = 240;
const comfortableWidth = 300;
/** Of a response with the gap after it, as the style sheet has them. */
const responseWidthMin = 244;
/** Around the responses: padding, borders and a scroll bar, less the gap after the last one. */
const aroundResponses = 30;
/** Of the page, and of the separators. */
const aroundParts = 72;

interface WidthsMin {
  readonly run: number;
  /** Of each of the other two. */
  readonly other: number;
  /** Whether all responses are in sight. */
  readonly canFit: boolean;
}

/**
 * How wide the parts have to be for the responses to be beside each other, as far as the prompt and
 * the settings leave them room. Without enough, they scroll.
 */
function useWidthsMin(): WidthsMin {
  const count = useStore(useRunSession().state, ({ columns }) => columns.length);
  const room = useSyncExternalStore(onResize, () => innerWidth - aroundParts);
  if (count === 1) return { run: partWidthMin, other: partWidthMin, canFit: true };
  const wanted = count * responseWidthMin + aroundResponses;
  const run = Math.min(wanted, room - 2 * partWidthMin);
  return { run, other: Math.min(comfortableWidth, (room - run) / 2), canFit: wanted === run };
}

function onResize(notify: () => void): () => void {
  addEventListener('resize', notify);
  return () => removeEventListener('resize', notify);
}

function Arrangement({ parts, view, onView, width, actionHosts }: ArrangementProps) {
  const [prompt, settings, run] = parts;
  const widthsMin = useWidthsMin();
  if (width === 'narrow') return <PartTabs parts={parts} view={view} onView={onView} />;
  const titledPrompt = <Titled {...prompt} action={<Slot host={actionHosts.prompt} />} />;
  const titledRun = <Titled {...run} action={<Slot host={actionHosts.run} />} />;
  if (view.maximized === 'prompt') return <div className={styles.columns}>{titledPrompt}</div>;
  if (view.maximized === 'run') return <div className={styles.columns}>{titledRun}</div>;
  const left =
    width === 'wide'
      ? [
          { ...prompt, content: titledPrompt, minSize: widthsMin.other },
          { ...settings, content: <Titled {...settings} />, minSize: widthsMin.other },
        ]
      : [
          {
            ...prompt,
            content: (
              <PartTabs
                parts={[prompt, settings]}
                view={view}
                onView={onView}
                action={<Slot host={actionHosts.prompt} />}
              />
            ),
          },
        ];
  return (
    <Columns
      // The browser remembers the widths by the number of columns.
      key={width}
      id={width === 'wide' ? 'workbench' : 'workbench-2'}
      columns={[...left, { ...run, content: titledRun, ...(width === 'wide' && { minSize: widthsMin.run }) }]}
    />
  );
}

interface TitledProps extends Pick<PlacedPart, 'title' | 'host'> {
  readonly action?: ReactNode;
}

function Titled({ title, host, action }: TitledProps) {
  return (
    <section className={styles.part} aria-label={title}>
      <div className={styles.partTitle}>
        <h2>{title}</h2>
        {action}
      </div>
      <div className={styles.partContent}>
        <Slot host={host} />
      </div>
    </section>
  );
}

interface ColumnsProps {
  /** Under which the browser remembers the widths. */
  readonly id: string;
  readonly columns: readonly (Pick<Part, 'id' | 'title' | 'content'> & { readonly minSize?: number })[];
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
            <Panel id={column.id} minSize={column.minSize ?? partWidthMin}>
              {column.content}
            </Panel>
          </Fragment>
        ))}
      </Group>
    </div>
  );
}

interface PartTabsProps extends Omit<WorkbenchLayoutProps, 'parts'> {
  readonly parts: readonly PlacedPart[];
  readonly action?: ReactNode;
}

function PartTabs({ parts, view, onView, action }: PartTabsProps) {
  const value = parts.some(({ id }) => id === view.shown) ? view.shown : parts[0]?.id;
  return (
    <Tabs.Root
      value={value}
      onValueChange={(shown: PartId) => onView({ ...view, shown })}
      className={styles.tabs}
    >
      <TabList label="Workbench" tabs={parts.map(({ id, title }) => [id, title])} />
      {action && <div className={styles.tabsAction}>{action}</div>}
      {/* All stay in the document, so that changing tabs loses no scroll position. */}
      {parts.map(({ id, title, host }) => (
        <Tabs.Panel key={id} value={id} keepMounted className={styles.partContent}>
          <h2 className="visually-hidden">{title}</h2>
          <Slot host={host} />
        </Tabs.Panel>
      ))}
    </Tabs.Root>
  );
}

type Width = 'wide' | 'medium' | 'narrow';

const wide = matchMedia('(width >= 1100px)');
const narrow = matchMedia('(width < 760px)');

/** Whether only one part is on screen. */
export function isNarrow(): boolean {
  return narrow.matches;
}

/** `beforeChange` runs while the page still has the layout of the width before. */
function useWidth(beforeChange: () => void): Width {
  const [width, setWidth] = useState(currentWidth);
  const latest = useRef(beforeChange);
  latest.current = beforeChange;
  useEffect(() => {
    const change = () => {
      latest.current();
      setWidth(currentWidth());
    };
    for (const query of [wide, narrow]) query.addEventListener('change', change);
    return () => {
      for (const query of [wide, narrow]) query.removeEventListener('change', change);
    };
  }, []);
  return width;
}

function currentWidth(): Width {
  return wide.matches ? 'wide' : narrow.matches ? 'narrow' : 'medium';
}
