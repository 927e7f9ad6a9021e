import type { PresetSummary } from '../../../../src/api/presets.ts';

/**
 * Loads all presets that match a search, page by page, so that the list can sort and filter them.
 *
 * The server lists the most recently changed presets first, and every change of a preset moves it
 * to the front. A reload therefore only reads until it reaches presets that it knows, in the state
 * that it knows. It starts over if the total then differs from what it has: a preset has left the
 * list, for example because somebody has archived it.
 */

/** Enough for a team that edits presets by hand; beyond it, the page says that the list is cut. */
export const presetsMax = 10_000;

/** The most that the server returns at once. */
const pageLength = 100;
/** Hides the latency of a slow connection. Each step also renders the list again. */
const parallelPages = 5;

export interface LoadedPresets {
  /** Most recently changed first. */
  readonly presets: readonly PresetSummary[];
  /** How many presets match; a lower bound while `isTotalExact` is false. */
  readonly totalCount: number;
  readonly isTotalExact: boolean;
  /** When they were all read. Calls do not move a preset, so only a full reload updates them. */
  readonly loadedAt: number;
  /** False while pages are still to come, and if there are more than `presetsMax`. */
  readonly isComplete: boolean;
}

interface PresetsPage {
  readonly data: readonly PresetSummary[];
  readonly total_count: number;
  readonly total_count_exact: boolean;
}

export type FetchPage = (offset: number, limit: number) => Promise<PresetsPage>;

interface LoadOptions {
  readonly fetchPage: FetchPage;
  /** The result of the last load, for a list in which only changes move a preset. */
  readonly known?: LoadedPresets | undefined;
  /** Called after each page but the last. Never called for a reload that finds its way back. */
  readonly onProgress: (loaded: LoadedPresets) => void;
}

export async function loadPresets({ fetchPage, known, onProgress }: LoadOptions): Promise<LoadedPresets> {
  if (known?.isComplete) {
    const updated = await updatePresets(fetchPage, known);
    if (updated !== undefined) return updated;
  }
  const { loaded, isSteady } = await loadAll(fetchPage, known === undefined ? onProgress : undefined);
  // Once more: a preset may have slipped from one page to another.
  return isSteady ? loaded : (await loadAll(fetchPage)).loaded;
}

/** The same object if nothing has changed; undefined if the list has to be loaded again. */
async function updatePresets(fetchPage: FetchPage, known: LoadedPresets): Promise<LoadedPresets | undefined> {
  const knownTimes = new Map(known.presets.map(({ id, updated_at }) => [id, updated_at]));
  const changed = new Map<string, PresetSummary>();
  // More changes than a page has are as expensive as loading everything.
  const page = await fetchPage(0, pageLength);
  for (const preset of page.data) changed.set(preset.id, preset);
  const last = page.data.at(-1);
  const isKnown = ({ id, updated_at }: PresetSummary) => knownTimes.get(id) === updated_at;
  const isReached = last === undefined || isKnown(last);
  if (!isReached && page.data.length < page.total_count) return undefined;
  if (page.total_count === known.totalCount && page.data.every(isKnown)) return known;
  const presets = [...page.data, ...known.presets.filter(({ id }) => !changed.has(id))];
  // Everything that is in the list now is among these, so equal counts mean equal lists.
  return page.total_count_exact && presets.length === page.total_count
    ? { ...known, presets, totalCount: page.total_count, isTotalExact: true }
    : undefined;
}

/** `isSteady` is false if the list has changed between two pages. */
async function loadAll(
  fetchPage: FetchPage,
  onProgress?: LoadOptions['onProgress'],
): Promise<{ readonly loaded: LoadedPresets; readonly isSteady: boolean }> {
  const byId = new Map<string, PresetSummary>();
  const totals = new Set<number>();
  const loadedAt = Date.now();
  // The first page alone, so that its rows show at once.
  let offsets = [0];
  for (;;) {
    const pages = await Promise.all(offsets.map((offset) => fetchPage(offset, pageLength)));
    for (const { data, total_count, total_count_exact } of pages) {
      for (const preset of data) if (!byId.has(preset.id)) byId.set(preset.id, preset);
      if (total_count_exact) totals.add(total_count);
    }
    const last = pages.at(-1);
    if (last === undefined) throw new Error('There is always a page to load.');
    const next = (offsets.at(-1) ?? 0) + pageLength;
    const isLast = last.data.length < pageLength || (last.total_count_exact && next >= last.total_count);
    const loaded = {
      presets: [...byId.values()],
      totalCount: last.total_count,
      isTotalExact: last.total_count_exact,
      isComplete: isLast,
      loadedAt,
    };
    if (isLast || next >= presetsMax)
      return { loaded, isSteady: totals.size <= 1 && (!isLast || byId.size === last.total_count) };
    onProgress?.(loaded);
    offsets = nextOffsets(next, last);
  }
}

/** A few pages, up to the end if it is known. */
function nextOffsets(start: number, { total_count, total_count_exact }: PresetsPage): number[] {
  const end = Math.min(presetsMax, total_count_exact ? total_count : presetsMax);
  return Array.from({ length: parallelPages }, (_, index) => start + index * pageLength).filter(
    (offset) => offset < end,
  );
}
