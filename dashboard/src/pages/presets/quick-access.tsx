import { History, Star } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { Link } from 'wouter';
import { type PresetMention, usePersonalLists } from '../../api/personal-lists.ts';
import { presetPath } from '../../components/preset-links.ts';
import type { LoadedPresets } from './load-presets.ts';
import styles from './presets.module.css';

interface QuickAccessProps {
  readonly loaded: LoadedPresets | undefined;
  /** Whether a preset that is not among the loaded ones is gone or archived. */
  readonly isAll: boolean;
}

/** Links to the favorites and the presets opened last. Nothing for someone who has neither. */
export function QuickAccess({ loaded, isAll }: QuickAccessProps) {
  const { favorites, recent } = usePersonalLists();
  const isFavorite = new Set(favorites.map(({ id }) => id));
  const lists = [
    { title: 'Favorites', icon: <Star aria-hidden="true" />, presets: current(favorites, loaded, isAll) },
    {
      title: 'Recent',
      icon: <History aria-hidden="true" />,
      presets: current(
        recent.filter(({ id }) => !isFavorite.has(id)),
        loaded,
        isAll,
      ),
    },
  ].filter(({ presets }) => presets.length > 0);
  if (lists.length === 0) return null;
  return (
    <div className={styles.quick}>
      {lists.map((list) => (
        <QuickList key={list.title} {...list} />
      ))}
    </div>
  );
}

/** Names may have changed since. Presets that are gone, or archived, are left out. */
function current(
  mentions: readonly PresetMention[],
  loaded: LoadedPresets | undefined,
  isAll: boolean,
): readonly PresetMention[] {
  const byId = new Map(loaded?.presets.map((preset) => [preset.id, preset]));
  return mentions.flatMap((mention) => {
    const preset = byId.get(mention.id);
    if (preset !== undefined) return [preset];
    return isAll && loaded?.isComplete ? [] : [mention];
  });
}

interface QuickListProps {
  readonly title: string;
  readonly icon: ReactNode;
  readonly presets: readonly PresetMention[];
}

function QuickList({ title, icon, presets }: QuickListProps) {
  const titleId = useId();
  return (
    <nav className={styles.quickList} aria-labelledby={titleId}>
      <span id={titleId} className={styles.quickTitle}>
        {icon}
        {title}
      </span>
      <ul>
        {presets.map(({ id, slug, name }) => (
          <li key={id}>
            <Link href={presetPath(slug)} className={styles.quickLink} title={slug}>
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
