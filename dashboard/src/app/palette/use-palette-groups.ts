import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { personName } from '../../api/organization.ts';
import { usePersonalLists } from '../../api/personal-lists.ts';
import type { PresetSnapshot } from '../../api/presets.ts';
import { useSession } from '../../api/session.ts';
import { currentCommands } from '../../components/commands.ts';
import { presetHref, versionHref } from '../../components/preset-links.ts';
import { useDebounced } from '../../components/use-debounced.ts';
import { searchGuides } from '../../features/guides/search-guides.ts';
import { guideHref, useGuideSections } from '../../features/guides/use-guide-sections.ts';
import { useOpenPreset } from '../open-preset.ts';
import { paletteKeys, shellGroups } from '../shell-commands.ts';
import { commandGroups, type MatchedGroup, matchGroups, type PaletteGroup } from './palette-items.ts';

/** More are found by typing more. */
const presetsMax = 6;
/** They come with their prompts, which may be long. Older ones are found by their number. */
const versionsMax = 10;
const peopleMax = 4;
/** While nothing is typed, a few say what can be found. */
const versionsShown = 3;
const searchPauseMs = 120;

/** Everything that matches the query, by groups: what the page offers comes first. */
export function usePaletteGroups(query: string): {
  readonly groups: readonly MatchedGroup[];
  readonly isSearching: boolean;
} {
  // The page behind the palette does not change while it is open.
  const [commands] = useState(() =>
    commandGroups(
      currentCommands().filter(({ keys }) => keys !== paletteKeys),
      shellGroups,
    ),
  );
  const presets = usePresetItems(query.trim());
  const versions = useVersionItems(query.trim());
  const people = usePeopleItems(query.trim());
  const guides = useGuideItems(query.trim());
  const groups = useMemo(() => {
    const isOfShell = ({ title }: PaletteGroup) => Object.hasOwn(shellGroups, title);
    const page = commands.filter((group) => !isOfShell(group));
    return matchGroups(
      [...page, presets.group, ...versions, people.group, ...commands.filter(isOfShell), ...guides],
      query,
    );
  }, [commands, presets.group, versions, people.group, guides, query]);
  return { groups, isSearching: presets.isSearching || people.isSearching };
}

/** The presets that were opened last, and those that the server finds. */
function usePresetItems(query: string): { readonly group: PaletteGroup; readonly isSearching: boolean } {
  const { api, workspace, workspaceId } = useSession();
  const [, navigate] = useLocation();
  const { recent } = usePersonalLists();
  const open = useOpenPreset();
  const { value: q } = useDebounced(query, searchPauseMs);
  const { data, isFetching } = useQuery({
    queryKey: ['palette', workspaceId, q],
    enabled: workspace !== undefined,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const filter = { limit: presetsMax, ...(q !== '' && { q }) };
      const input = { query: { ...filter, workspace_id: workspaceId } };
      return (await api.call('GET /presets', input, { signal })).content.data;
    },
  });
  const group = useMemo(() => {
    const found = data?.map(({ slug, name }) => ({ slug, name, isFound: true })) ?? [];
    const known = recent.map(({ slug, name }) => ({ slug, name, isFound: false }));
    // Leave out the preset that is already open.
    const others = [...known, ...found].filter(({ slug }) => slug !== open?.preset.slug);
    const bySlug = new Map(others.toReversed().map((preset) => [preset.slug, preset]));
    const items = [...bySlug.values()].toReversed().map(({ slug, name, isFound }) => ({
      id: `preset ${slug}`,
      title: name,
      ...(name !== slug && { detail: slug }),
      isFound: isFound && query === q,
      run: () => navigate(presetHref({ slug, workspace: workspace?.slug })),
    }));
    return {
      title: 'Presets',
      kind: 'preset' as const,
      items: query === '' ? items.slice(0, presetsMax) : items,
    };
  }, [data, recent, open, query, q, workspace, navigate]);
  return { group, isSearching: isFetching || query !== q };
}

/** Members by name or address. The server finds them from the first two letters on. */
function usePeopleItems(query: string): { readonly group: PaletteGroup; readonly isSearching: boolean } {
  const { api, hasOrganization } = useSession();
  const [, navigate] = useLocation();
  const { value: q } = useDebounced(query, searchPauseMs);
  const isEnabled = hasOrganization && q.length > 1;
  const { data, isFetching } = useQuery({
    queryKey: ['palette people', q],
    enabled: isEnabled,
    queryFn: async ({ signal }) => {
      const input = { query: { q, limit: peopleMax } };
      return (await api.call('GET /organization/members', input, { signal })).content.data;
    },
  });
  const group = useMemo(() => {
    // People found for an earlier text must not be there to be chosen with Enter.
    const found = isEnabled && query === q ? (data ?? []) : [];
    const items = found.map((person) => ({
      id: `person ${person.id}`,
      title: personName(person) || person.email,
      ...(personName(person) !== '' && { detail: person.email }),
      isFound: true,
      run: () => navigate(`/organization/members?q=${encodeURIComponent(person.email)}`),
    }));
    return { title: 'People', kind: 'person' as const, items };
  }, [data, isEnabled, query, q, navigate]);
  return { group, isSearching: hasOrganization && (isFetching || (query.length > 1 && query !== q)) };
}

/** The versions of the preset that is open: the latest ones, and any other by its number. */
function useVersionItems(query: string): readonly PaletteGroup[] {
  const open = useOpenPreset();
  const { workspace } = useSession();
  const [, navigate] = useLocation();
  const versions = useLatestVersions(open);
  return useMemo(() => {
    if (open === undefined || versions === undefined) return [];
    const { slug, designated_version: live } = open.preset;
    const typed = Number(/^(?:v|version)?\s*(\d{1,9})$/i.exec(query)?.[1]);
    const isOlder = typed >= 1 && versions.every(({ version }) => version > typed);
    const listed = isOlder ? [...versions, { version: typed, note: undefined }] : versions;
    const items = listed.slice(0, query === '' ? versionsShown : undefined).map(({ version, note }) => ({
      id: `version ${version}`,
      title: `Version ${version}`,
      detail: [version === live.version && 'live', note].filter(Boolean).join(' · '),
      keywords: `v${version} ${note ?? ''}`,
      run: () => navigate(versionHref({ slug, workspace: workspace?.slug }, version)),
    }));
    return [{ title: `Versions of ${open.preset.name}`, kind: 'version', items }];
  }, [open, versions, query, workspace, navigate]);
}

/** More are found by typing more. */
const guidesMax = 8;

/** The sections of the guides that have all words, in their headings or their text. */
function useGuideItems(query: string): readonly PaletteGroup[] {
  const [, navigate] = useLocation();
  const isEnabled = query.length > 2;
  const { data } = useGuideSections(isEnabled);
  return useMemo(() => {
    if (data === undefined || !isEnabled) return [];
    const items = searchGuides(data, query)
      .slice(0, guidesMax)
      .map(({ section: { name, id, title, heading } }) => ({
        id: `guide ${name}#${id}`,
        title: heading || title,
        ...(heading !== '' && { detail: title }),
        isFound: true,
        run: () => navigate(guideHref(name, id)),
      }));
    return [{ title: 'Guides', kind: 'guide', items }];
  }, [data, isEnabled, query, navigate]);
}

/** Newest first. */
function useLatestVersions(open: PresetSnapshot | undefined) {
  const { api, workspaceId } = useSession();
  const slug = open?.preset.slug ?? '';
  const count = open?.latest ?? 0;
  return useQuery({
    queryKey: ['palette versions', workspaceId, slug, count],
    enabled: open !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      // The list is oldest first.
      const page = { offset: Math.max(0, count - versionsMax), limit: versionsMax };
      const input = { params: { slug }, query: { ...page, workspace_id: workspaceId } };
      const { data } = (await api.call('GET /presets/:slug/versions', input, { signal })).content;
      return data.toReversed().map(({ version, presetd }) => ({ version, note: presetd?.note }));
    },
  }).data;
}
