import { GripVertical } from 'lucide-react';
import { type DragEvent, useEffect, useRef, useState } from 'react';
import type { PresetLabel } from '../../../../src/api/labels.ts';
import { Badge } from '../../components/badge.tsx';
import { moveLabel } from '../../features/preset-changes/preset-action.ts';
import { usePresetActions } from '../../features/preset-changes/use-preset-actions.ts';
import styles from './preset.module.css';

/**
 * The labels of a version. Pressing a chip opens a dialog to move or remove it; with a mouse it can
 * also be dragged to another version.
 */
export function LabelChips({ labels }: { readonly labels: readonly PresetLabel[] }) {
  const { canChange } = usePresetActions();
  if (labels.length === 0) return null;
  return (
    <ul className={styles.chips} aria-label="Labels">
      {labels.map((label) => (
        <li key={label.label} className={styles.chipItem}>
          {canChange ? <Chip {...label} /> : <Badge tone="label">{label.label}</Badge>}
        </li>
      ))}
    </ul>
  );
}

/** A moved chip is a new element under another version. Focus follows it there. */
let lastPressed: string | undefined;

/** A draggable chip with a button, which opens the dialog to move or remove the label. */
function Chip(label: PresetLabel) {
  const { slug, openDialog } = usePresetActions();
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const isFocusLost = document.activeElement === document.body;
    if (isFocusLost && lastPressed === label.label) button.current?.focus();
  }, [label.label]);
  return (
    // Some browsers cannot drag buttons, so the element around it is draggable.
    // biome-ignore lint/a11y/noStaticElementInteractions: dragging is a mouse shortcut; the button does the same
    <span
      className={styles.chip}
      draggable
      onDragStart={(event) => startLabelDrag(event, slug, label)}
      onDragEnd={endLabelDrag}
    >
      <GripVertical aria-hidden="true" className={styles.grip} />
      <button
        ref={button}
        type="button"
        className={styles.chipButton}
        aria-label={`${label.label}: move or remove label`}
        onClick={() => {
          lastPressed = label.label;
          openDialog({ kind: 'move-label', label: label.label, version: label.version });
        }}
      >
        {label.label}
      </button>
    </span>
  );
}

/** A private type, so that only labels of this dashboard can be dropped. */
const dragType = 'application/x-presetd-label';

/** The label being dragged in this window: browsers hide the drag data until it is dropped. */
let dragged: PresetLabel | undefined;

/** Tracks the label until `endLabelDrag`, which runs on `dragend`, even if the drop fails. */
function startLabelDrag(event: DragEvent, slug: string, label: PresetLabel): void {
  dragged = label;
  event.dataTransfer.effectAllowed = 'move';
  event.dataTransfer.setData(dragType, dragPayload(slug, label));
}

function endLabelDrag(): void {
  dragged = undefined;
}

function dragPayload(slug: string, { label, version }: PresetLabel): string {
  return JSON.stringify([slug, label, version]);
}

/** Handlers for a drop target. Dropping a label moves it to this version; a toast offers undo. */
export function useLabelDrop(version: number) {
  const { slug, perform, canChange, isBusy } = usePresetActions();
  const [isOver, setIsOver] = useState(false);
  const canDrop = ({ dataTransfer }: DragEvent) =>
    canChange &&
    !isBusy &&
    dataTransfer.types.includes(dragType) &&
    dragged !== undefined &&
    dragged.version !== version;
  return {
    isOver,
    onDragOver: (event: DragEvent) => {
      if (!canDrop(event)) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = 'move';
      setIsOver(true);
    },
    onDragLeave: (event: DragEvent) => {
      const isInside =
        event.relatedTarget instanceof Node && event.currentTarget.contains(event.relatedTarget);
      if (!isInside) setIsOver(false);
    },
    onDrop: (event: DragEvent) => {
      setIsOver(false);
      if (!canDrop(event) || dragged === undefined) return;
      event.preventDefault();
      // The drag may come from another window, whose label is not the one tracked here.
      if (event.dataTransfer.getData(dragType) !== dragPayload(slug, dragged)) return;
      perform(moveLabel(dragged.label, dragged.version, version));
    },
  };
}
