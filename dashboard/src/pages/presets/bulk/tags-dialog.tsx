import { useState } from 'react';
import type { PresetSummary } from '../../../../../src/api/presets.ts';
import { TagChip } from '../../../components/chip.tsx';
import { CheckboxField } from '../../../components/fields.tsx';
import { TagField } from '../../../components/tag-field.tsx';
import { formatCount } from '../../../components/text.ts';
import { collectFacets } from '../preset-filter.ts';
import styles from './bulk.module.css';
import { changeTags, undoOf } from './bulk-changes.ts';
import { BulkDialog } from './bulk-dialog.tsx';
import { useBulkRun } from './use-bulk-run.ts';

interface DialogProps {
  /** The presets when the dialog was opened. */
  readonly presets: readonly PresetSummary[];
  readonly onCancel: () => void;
  readonly onDone: () => void;
}

/** Adds tags to presets and removes others. */
export function TagsDialog({ presets, onCancel, onDone }: DialogProps) {
  const run = useBulkRun(onDone);
  const [add, setAdd] = useState<readonly string[]>([]);
  const [remove, setRemove] = useState<readonly string[]>([]);
  const present = collectFacets(presets).tags;
  const change = { add, remove };
  const count = formatCount(presets.length, 'preset', 'presets');
  return (
    <BulkDialog
      title={`Change tags of ${count}`}
      run={run}
      submitLabel="Change tags"
      canSubmit={add.length + remove.length > 0}
      onSubmit={() =>
        void run.start(presets, {
          change: (target, preset) => changeTags(target, preset, change),
          verb: 'Changed the tags of',
          undo: (target, preset) => changeTags(target, preset, undoOf(preset, change)),
          undoVerb: 'Restored the tags of',
        })
      }
      onCancel={onCancel}
    >
      <div className="stack">
        <div className="stack-2">
          <h3>Add</h3>
          <TagField
            label="Add a tag"
            placeholder="Tag, then Enter"
            tags={add}
            onAdd={async (tag) => {
              setAdd((tags) => [...tags, tag]);
              setRemove((tags) => tags.filter((other) => other !== tag));
              return true;
            }}
          />
          {add.length > 0 && (
            <div className={styles.tags}>
              {add.map((tag) => (
                <TagChip
                  key={tag}
                  tag={tag}
                  remove={{
                    label: `Do not add ${tag}`,
                    onClick: () => setAdd(add.filter((other) => other !== tag)),
                  }}
                />
              ))}
            </div>
          )}
        </div>
        {present.length > 0 && (
          <fieldset className={styles.present}>
            <legend>
              <h3>Remove</h3>
            </legend>
            {present.map(([tag, number]) => (
              <CheckboxField
                key={tag}
                label={`${tag} (${number})`}
                isChecked={remove.includes(tag)}
                onChange={(isChecked) => {
                  setRemove(isChecked ? [...remove, tag] : remove.filter((other) => other !== tag));
                  if (isChecked) setAdd(add.filter((other) => other !== tag));
                }}
              />
            ))}
          </fieldset>
        )}
      </div>
    </BulkDialog>
  );
}
