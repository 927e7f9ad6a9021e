import { type DragEvent, useState } from 'react';
import type { Label } from '../../../src/client/preset-answers.ts';
import { moveLabel } from './preset-action.ts';
import { usePresetActions } from './preset-actions-context.tsx';

/** A private type, so that only labels of this dashboard can be dropped. */
const dragType = 'application/x-presetd-label';

/** The label being dragged in this window: browsers hide the drag data until it is dropped. */
let dragged: Label | undefined;

/** Tracks the label until `endLabelDrag`, which runs on `dragend`, even if the drop fails. */
export function startLabelDrag(event: DragEvent, slug: string, label: Label): void {
  dragged = label;
  event.dataTransfer.effectAllowed = 'move';
  event.dataTransfer.setData(dragType, dragPayload(slug, label));
}

export function endLabelDrag(): void {
  dragged = undefined;
}

function dragPayload(slug: string, { label, version }: Label): string {
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
