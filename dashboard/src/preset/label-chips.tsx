import { GripVertical } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { Label } from '../../../src/client/preset-answers.ts';
import { Badge } from '../ui/badge.tsx';
import styles from './label-chips.module.css';
import { usePresetActions } from './preset-actions-context.tsx';
import { endLabelDrag, startLabelDrag } from './use-label-drop.ts';

interface LabelChipsProps {
  readonly labels: readonly Label[];
  /** Show the version in the chip, where it is not listed under its version. */
  readonly withVersion?: boolean;
}

/**
 * The labels of a version. Pressing a chip opens a dialog to move or remove it; with a mouse it can
 * also be dragged to another version.
 */
export function LabelChips({ labels, withVersion = false }: LabelChipsProps) {
  const { canChange } = usePresetActions();
  if (labels.length === 0) return null;
  return (
    <ul className={styles.chips} aria-label="Labels">
      {labels.map((label) => (
        <li key={label.label} className={styles.item}>
          {canChange ? (
            <Chip {...label} withVersion={withVersion} />
          ) : (
            <Badge tone="accent">{textOf(label, withVersion)}</Badge>
          )}
        </li>
      ))}
    </ul>
  );
}

/** A moved chip is a new element under another version. Focus follows it there. */
let lastPressed: string | undefined;

/** A draggable chip with a button, which opens the dialog to move or remove the label. */
function Chip({ withVersion, ...label }: Label & { readonly withVersion: boolean }) {
  const { slug, openDialog } = usePresetActions();
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const isFocusLost = document.activeElement === document.body;
    if (isFocusLost && lastPressed === label.label) button.current?.focus();
  }, [label.label]);
  const text = textOf(label, withVersion);
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
        className={styles.button}
        aria-label={`${text}: move or remove label`}
        onClick={() => {
          lastPressed = label.label;
          openDialog({ kind: 'move-label', label: label.label, version: label.version });
        }}
      >
        {text}
      </button>
    </span>
  );
}

function textOf({ label, version }: Label, withVersion: boolean): string {
  return withVersion ? `${label} ${version}` : label;
}
