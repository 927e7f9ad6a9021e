import type { Command, Keys } from '../../components/commands.ts';
import { fuzzyMatch } from './fuzzy-match.ts';

/** Decides which icon an item has. */
export type PaletteKind = 'action' | 'guide' | 'page' | 'person' | 'preset' | 'version' | 'workspace';

/** A line of the palette. */
interface PaletteItem {
  /** Unique in the palette. */
  readonly id: string;
  readonly title: string;
  /** In smaller letters after the title, such as a slug. Also searched. */
  readonly detail?: string;
  readonly keys?: Keys;
  /** Also searched, but not shown. */
  readonly keywords?: string;
  readonly run: () => void;
  /** Found by the server, which also searches prompts and notes, so the title need not match. */
  readonly isFound?: boolean;
}

export interface PaletteGroup {
  readonly title: string;
  readonly kind: PaletteKind;
  readonly items: readonly PaletteItem[];
}

/** An item that matches what was typed, and the letters of its title to highlight. */
export interface MatchedItem extends PaletteItem {
  readonly positions: readonly number[];
  readonly kind: PaletteKind;
}

export interface MatchedGroup {
  /** Unique in the palette. */
  readonly title: string;
  readonly items: readonly MatchedItem[];
}

/**
 * The items that match, best first in each group, and the group with the best match first. Without
 * a query, everything in its order. Groups with the same title become one: a page may offer
 * commands under a title that the palette uses too.
 */
export function matchGroups(groups: readonly PaletteGroup[], query: string): readonly MatchedGroup[] {
  const matched = [...Map.groupBy(groups, ({ title }) => title)].map(([title, sameTitle]) => ({
    title,
    items: sameTitle
      .flatMap(({ kind, items }) => items.flatMap((item) => matchItem({ ...item, kind }, query) ?? []))
      .toSorted((one, other) => other.score - one.score),
  }));
  const bestOf = (group: (typeof matched)[number]) => group.items[0]?.score ?? Number.NEGATIVE_INFINITY;
  return matched
    .filter(({ items }) => items.length > 0)
    .toSorted((one, other) => (query.trim() === '' ? 0 : bestOf(other) - bestOf(one)));
}

function matchItem(
  item: PaletteItem & { readonly kind: PaletteKind },
  query: string,
): (MatchedItem & { readonly score: number }) | undefined {
  // Found with their text, and best first. To do something comes before to read about it.
  if (item.kind === 'guide') {
    const words = wholeMatch(query, item.title);
    return { ...item, positions: words, score: words.length > 0 ? 1 : -1 };
  }
  const title = fuzzyMatch(query, item.title);
  if (title !== undefined) return { ...item, ...title };
  const other = fuzzyMatch(query, item.detail ?? '') ?? keywordMatch(query, item.keywords ?? '');
  // Below any match in a title.
  if (other !== undefined) return { ...item, positions: [], score: other.score / 100 };
  return item.isFound ? { ...item, positions: [], score: 0 } : undefined;
}

/**
 * Matches the start of words only. Keywords are not shown, so items that match scattered letters of
 * them would seem to be found for no reason.
 */
function keywordMatch(query: string, keywords: string): { readonly score: number } | undefined {
  const found = keywords.toLowerCase().split(/\s+/);
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return words.every((word) => found.some((each) => each.startsWith(word)))
    ? { score: words.length }
    : undefined;
}

/** The letters of the query in the title, if it has them next to each other. */
function wholeMatch(query: string, title: string): readonly number[] {
  const at = title.toLowerCase().indexOf(query.trim().toLowerCase());
  return at < 0 ? [] : Array.from(query.trim(), (_, index) => at + index);
}

/** The commands of the page by their groups, in the order in which they were offered. */
export function commandGroups(
  commands: readonly Command[],
  kinds: Readonly<Record<string, PaletteKind>> = {},
): readonly PaletteGroup[] {
  const groups = new Map<string, PaletteItem[]>();
  for (const { title, group, keys, keywords, run, isDisabled, isMove } of commands) {
    if (run === undefined || isDisabled || isMove) continue;
    const items = groups.get(group) ?? [];
    groups.set(group, items);
    items.push({
      id: `${group} ${items.length}`,
      title,
      run,
      ...(keys && { keys }),
      ...(keywords && { keywords }),
    });
  }
  return [...groups].map(([title, items]) => ({ title, kind: kinds[title] ?? 'action', items }));
}
