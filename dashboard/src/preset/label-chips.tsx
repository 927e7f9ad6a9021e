import { GripVertical } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { Label } from '../../../src/client/preset-answers.ts';
import { Badge } from '../parts/badge.tsx';
import styles from './label-chips.module.css';
import { usePresetActions } from './preset-actions.tsx';
import { endLabelDrag, startLabelDrag } from './use-label-drop.ts';

interface LabelChipsProps {
  readonly labels: readonly Label[];
  /** Where the chips do not stand at their version. */
  readonly withVersion?: boolean;
}

/** Pressed, a chip asks where to; the mouse can also drag it to another version. */
export function LabelChips({ labels, withVersion = false }: LabelChipsProps) {
  const { canChange } = usePresetActions();
  if (labels.length === 0) return null;
  return (
    <ul className={styles.chips} aria-label="Labels">
      {labels.map((label) => (
        <li key={label.label} className={styles.place}>
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

/** A chip that moves is another one in another place: the focus follows it there. */
let lastPressed: string | undefined;

function Chip({ withVersion, ...label }: Label & { readonly withVersion: boolean }) {
  const { slug, ask } = usePresetActions();
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const isLost = document.activeElement === document.body;
    if (isLost && lastPressed === label.label) button.current?.focus();
  }, [label.label]);
  const text = textOf(label, withVersion);
  return (
    // Not every browser lets a button be dragged, so what is dragged is around it.
    // biome-ignore lint/a11y/noStaticElementInteractions: an extra for the mouse; the button does the same
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
        aria-label={`${text}: move or remove the label`}
        onClick={() => {
          lastPressed = label.label;
          ask({ kind: 'move-label', label: label.label, version: label.version });
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
