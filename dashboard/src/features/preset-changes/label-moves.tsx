import { CheckboxField } from '../../components/fields.tsx';
import type { PlacedLabel } from './move-labels.ts';
import styles from './preset-changes.module.css';

interface LabelMovesProps {
  /** Labels of the version that is live. After a conflict, also of the one that was. */
  readonly labels: readonly PlacedLabel[];
  /** Such as "the new version". */
  readonly to: string;
  /** Names of the labels that move. */
  readonly moved: readonly string[];
  readonly onChange: (moved: readonly string[]) => void;
}

/** Chooses which labels of the live version move along with a release. */
export function LabelMoves({ labels, to, moved, onChange }: LabelMovesProps) {
  if (labels.length === 0) return null;
  return (
    <fieldset className={styles.labelMoves}>
      <legend className="strong">Labels</legend>
      {labels.map(({ label }) => (
        <CheckboxField
          key={label}
          label={`Move ${label} to ${to}`}
          isChecked={moved.includes(label)}
          onChange={(isMoved) =>
            onChange(isMoved ? [...moved, label] : moved.filter((other) => other !== label))
          }
        />
      ))}
      <p className="note">
        Labels that you do not move stay where they are, and calls that use them do not change.
      </p>
    </fieldset>
  );
}
