import { useQuery } from '@tanstack/react-query';

/** The text of all guides, loaded when somebody searches. */
export function useGuideSections(isEnabled = true) {
  return useQuery({
    queryKey: ['guide sections'],
    enabled: isEnabled,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => (await import('virtual:guide-sections')).sections,
  });
}

/** The address of a section; `id` is empty for the start of the guide. */
export function guideHref(name: string, id: string): string {
  return `/guides/${name}${id && `#${id}`}`;
}
