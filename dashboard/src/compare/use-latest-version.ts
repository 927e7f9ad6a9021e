import { useVersions } from '../api/presets.ts';

/** The number of the newest version; versions are numbered without a gap, so that it is how many there are. */
export function useLatestVersion(slug: string) {
  const { data, ...query } = useVersions(slug, { offset: 0, limit: 1 });
  return { ...query, latest: data?.total_count };
}
