import { Autocomplete } from '@base-ui/react/autocomplete';
import {
  ArrowRight,
  BookOpen,
  History,
  Layers,
  type LucideIcon,
  Search,
  SlidersHorizontal,
  User,
  Zap,
} from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useSession } from '../../api/session.ts';
import { Modal } from '../../components/dialog.tsx';
import { Kbd } from '../../components/kbd.tsx';
import { formatCount } from '../../components/text.ts';
import styles from './palette.module.css';
import type { MatchedGroup, MatchedItem, PaletteKind } from './palette-items.ts';
import { usePaletteGroups } from './use-palette-groups.ts';

/**
 * Finds presets, versions, people, pages and actions while the user types. The arrow keys move
 * through the list while the focus stays in the field.
 */
export function CommandPalette({ onClose }: { readonly onClose: () => void }) {
  const [query, setQuery] = useState('');
  const { groups, isSearching } = usePaletteGroups(query);
  const { account, workspace } = useSession();
  // Presets are searched in one workspace, which matters to people who have several.
  const place = workspace && account.workspaces.length > 1 ? ` in ${workspace.name}` : '';
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const choose = (item: MatchedItem) => {
    // Closing returns the focus to where it was; so does a dialog that the command opens.
    flushSync(onClose);
    item.run();
  };
  const count = groups.reduce((sum, { items }) => sum + items.length, 0);
  return (
    <Modal label="Command palette" className={styles.palette} onClose={onClose} onPressOutside={onClose}>
      <Autocomplete.Root
        inline
        open
        mode="none"
        items={groups}
        value={query}
        onValueChange={(text, { reason }) => reason !== 'item-press' && setQuery(text)}
        itemToStringValue={({ title }: MatchedItem) => title}
        autoHighlight="always"
        keepHighlight
      >
        <div className={styles.search}>
          <Search aria-hidden="true" />
          <Autocomplete.Input
            ref={field}
            aria-label="Search"
            placeholder="Search presets, people, pages, actions and guides"
            className={styles.field}
            spellCheck={false}
            autoComplete="off"
            maxLength={200}
            onKeyDown={(event) => {
              // The key that opens the palette closes it.
              if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
              event.preventDefault();
              onClose();
            }}
          />
          <button type="button" className={styles.close} onClick={onClose} aria-label="Close: Esc">
            Esc
          </button>
        </div>
        <div className="visually-hidden" role="status">
          {!isSearching && (count === 0 ? 'Nothing found' : formatCount(count, 'result', 'results'))}
        </div>
        {count === 0 && (
          <p className={styles.empty}>
            {isSearching ? 'Searching…' : `Nothing found for “${query.trim()}”${place}.`}
          </p>
        )}
        <Autocomplete.List className={`scrollbar ${styles.list}`} aria-label="Results">
          {(group: MatchedGroup) => (
            <Autocomplete.Group key={group.title} items={group.items} className={styles.group}>
              <Autocomplete.GroupLabel className={styles.groupTitle}>{group.title}</Autocomplete.GroupLabel>
              <Autocomplete.Collection>
                {(item: MatchedItem) => (
                  <Autocomplete.Item
                    key={item.id}
                    value={item}
                    className={styles.item}
                    onClick={() => choose(item)}
                  >
                    <ItemIcon kind={item.kind} />
                    <span className={styles.title}>{highlighted(item)}</span>
                    {item.detail && <span className={styles.detail}>{item.detail}</span>}
                    {item.keys && <Kbd keys={item.keys} />}
                  </Autocomplete.Item>
                )}
              </Autocomplete.Collection>
            </Autocomplete.Group>
          )}
        </Autocomplete.List>
      </Autocomplete.Root>
      <footer className={styles.foot} aria-hidden="true">
        <span>
          <kbd>↑</kbd> <kbd>↓</kbd> to move
        </span>
        <span>
          <kbd>↵</kbd> to open
        </span>
      </footer>
    </Modal>
  );
}

const icons: Readonly<Record<PaletteKind, LucideIcon>> = {
  action: Zap,
  guide: BookOpen,
  page: ArrowRight,
  person: User,
  preset: SlidersHorizontal,
  version: History,
  workspace: Layers,
};

function ItemIcon({ kind }: { readonly kind: PaletteKind }) {
  const Icon = icons[kind];
  return <Icon aria-hidden="true" />;
}

/** The title with its matched letters marked. */
function highlighted({ title, positions }: MatchedItem): ReactNode {
  const marked = new Set(positions);
  const parts: { text: string; isMarked: boolean }[] = [];
  for (const [index, letter] of title.split('').entries()) {
    const isMarked = marked.has(index);
    const last = parts.at(-1);
    if (last?.isMarked === isMarked) last.text += letter;
    else parts.push({ text: letter, isMarked });
  }
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts have no other identity
  return parts.map(({ text, isMarked }, index) => (isMarked ? <mark key={index}>{text}</mark> : text));
}
