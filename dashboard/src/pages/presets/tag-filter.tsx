import { useRef } from 'react';
import { TagChip } from '../../components/chip.tsx';
import { SelectField } from '../../components/fields.tsx';
import type { Facet } from './preset-filter.ts';
import styles from './presets.module.css';

interface TagFilterProps {
  /** A preset must have all of them. */
  readonly tags: readonly string[];
  /** The tags of the presets in the list. */
  readonly offered: Facet;
  readonly onChange: (tags: readonly string[]) => void;
}

/** Each chosen tag narrows the list, and with it the tags that are offered next. */
export function TagFilter({ tags, offered, onChange }: TagFilterProps) {
  const field = useRef<HTMLDivElement>(null);
  const options = offered.filter(([tag]) => !tags.includes(tag));
  const remove = (tag: string) => {
    onChange(tags.filter((other) => other !== tag));
    // The pressed button is gone.
    field.current?.querySelector('select')?.focus({ preventScroll: true });
  };
  return (
    <>
      <div ref={field}>
        <SelectField
          label="Tag"
          isLabelHidden
          value=""
          options={[['', tags.length === 0 ? 'Any tag' : 'Another tag'], ...options.map(tagOption)]}
          onChange={(tag) => tag !== '' && onChange([...tags, tag])}
        />
      </div>
      {tags.length > 0 && (
        <span className={styles.chosen}>
          {tags.map((tag) => (
            <TagChip
              key={tag}
              tag={tag}
              remove={{ label: `Remove filter ${tag}`, onClick: () => remove(tag) }}
            />
          ))}
        </span>
      )}
    </>
  );
}

function tagOption([tag, count]: Facet[number]): readonly [string, string] {
  return [tag, `${tag} (${count})`];
}
