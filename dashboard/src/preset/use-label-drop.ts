import { type DragEvent, useState } from 'react';
import type { Label } from '../../../src/client/preset-answers.ts';
import { moveLabel } from './preset-action.ts';
import { usePresetActions } from './preset-actions.tsx';

/** Nothing but a label of these pages is taken. */
const dragType = 'application/x-presetd-label';

/** The label of this window that is on its way; what a drag carries cannot be read before it is dropped. */
let dragged: Label | undefined;

export function startLabelDrag(event: DragEvent, slug: string, label: Label): void {
  dragged = label;
  event.dataTransfer.effectAllowed = 'move';
  event.dataTransfer.setData(dragType, carried(slug, label));
}

export function endLabelDrag(): void {
  dragged = undefined;
}

function carried(slug: string, { label, version }: Label): string {
  return JSON.stringify([slug, label, version]);
}

/** A place that a label can be dropped on: it moves to this version at once, and can be undone. */
export function useLabelDrop(version: number) {
  const { slug, act, canChange, isBusy } = usePresetActions();
  const [isOver, setIsOver] = useState(false);
  const takes = ({ dataTransfer }: DragEvent) =>
    canChange &&
    !isBusy &&
    dataTransfer.types.includes(dragType) &&
    dragged !== undefined &&
    dragged.version !== version;
  return {
    isOver,
    onDragOver: (event: DragEvent) => {
      if (!takes(event)) return;
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
      if (!takes(event) || dragged === undefined) return;
      event.preventDefault();
      // Another window's label is another one, whatever is dragged here.
      if (event.dataTransfer.getData(dragType) !== carried(slug, dragged)) return;
      act(moveLabel(dragged.label, dragged.version, version));
    },
  };
}
