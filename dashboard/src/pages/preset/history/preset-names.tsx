import { useEffect, useRef, useState } from 'react';
import { aliasesMax } from '../../../../../src/core/presets/alias.ts';
import { useAliases, useTags } from '../../../api/presets.ts';
import { Button } from '../../../components/button.tsx';
import { Chip, TagChip } from '../../../components/chip.tsx';
import { TagField } from '../../../components/tag-field.tsx';
import { addTag, removeTag } from '../../../features/preset-changes/preset-action.ts';
import { usePresetActions } from '../../../features/preset-changes/use-preset-actions.ts';
import styles from './history.module.css';

/** The description, aliases and tags of the preset. */
export function PresetNames() {
  const { description } = usePresetActions().snapshot.preset;
  return (
    <div className="stack-2">
      {description !== null && <p className={styles.description}>{description}</p>}
      <div className={styles.names}>
        <Aliases />
        <Tags />
      </div>
    </div>
  );
}

/** A preset can have twenty; the first say enough. */
const aliasesShown = 3;

/** The aliases, and a button to add one. Removing one breaks callers, so a dialog asks first. */
function Aliases() {
  const { slug, snapshot, canChange, openDialog } = usePresetActions();
  const { data, error } = useAliases(slug, snapshot.etag);
  const [isExpanded, setIsExpanded] = useState(false);
  const aliases = data?.data.map(({ alias }) => alias) ?? [];
  const addButton = useRef<HTMLButtonElement>(null);
  const countBefore = useRef(0);
  useEffect(() => {
    // The button that removed an alias is gone, and the focus with it.
    const isFocusLost = document.activeElement === document.body;
    if (isFocusLost && aliases.length < countBefore.current) addButton.current?.focus();
    countBefore.current = aliases.length;
  }, [aliases.length]);
  const shown = isExpanded ? aliases : aliases.slice(0, aliasesShown);
  const isFull = aliases.length >= aliasesMax;
  return (
    <>
      {aliases.length > 0 && (
        <>
          <span className="note">Aliases</span>
          <ul aria-label="Aliases">
            {shown.map((alias) => (
              <li key={alias} className={styles.chipItem}>
                <Chip
                  remove={
                    canChange
                      ? {
                          label: `Remove alias ${alias}`,
                          onClick: () => openDialog({ kind: 'remove-alias', alias }),
                        }
                      : undefined
                  }
                >
                  <span className="mono">{alias}</span>
                </Chip>
              </li>
            ))}
          </ul>
        </>
      )}
      {shown.length < aliases.length && (
        <Button isSmall variant="quiet" onClick={() => setIsExpanded(true)}>
          {aliases.length - shown.length} more<span className="visually-hidden"> aliases</span>
        </Button>
      )}
      {error && <span className="note">Could not load the aliases.</span>}
      {canChange && (
        <Button
          ref={addButton}
          isSmall
          variant="quiet"
          className={styles.addAlias}
          disabled={isFull}
          title={isFull ? `A preset has at most ${aliasesMax} aliases` : undefined}
          onClick={() => openDialog({ kind: 'add-alias' })}
        >
          Add alias…
        </Button>
      )}
    </>
  );
}

/** The tags, each a link to the presets that have it, and a field to add one. */
function Tags() {
  const { slug, snapshot, canChange, isBusy, perform } = usePresetActions();
  const { data, error } = useTags(slug, snapshot.etag);
  const group = useRef<HTMLDivElement>(null);
  const tags = data?.data ?? [];
  // One change at a time: two at once would be a conflict.
  const add = async (tag: string) => !isBusy && (await perform(addTag(tag)));
  const remove = async (tag: string) => {
    // The pressed button is gone.
    if (!isBusy && (await perform(removeTag(tag)))) group.current?.focus({ preventScroll: true });
  };
  if (!canChange && tags.length === 0 && !error) return null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms, and this is mostly links
    <div ref={group} role="group" aria-label="Tags" tabIndex={-1} className={styles.tags}>
      {tags.map((tag) => (
        <TagChip
          key={tag}
          tag={tag}
          href={`/presets?${new URLSearchParams({ tag })}`}
          remove={canChange ? { label: `Remove tag ${tag}`, onClick: () => void remove(tag) } : undefined}
        />
      ))}
      {error && <span className="note">Could not load the tags.</span>}
      {canChange && !error && <TagField label="Add tag" placeholder="Add tag" tags={tags} onAdd={add} />}
    </div>
  );
}
