import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { One } from '../../../src/client/answers.ts';
import type { LeftOut, Preset } from '../../../src/client/preset-answers.ts';
import type { Dialect } from '../../../src/core/presets/preset.ts';
import { pathOf } from '../api/api.ts';
import { dialectPaths } from '../api/dialects.ts';
import { useSession } from '../session/session.tsx';
import type { Debounced } from '../ui/use-debounced.ts';

/**
 * Stands in for a slug that is not entered yet; unlikely to exist, so the dry run reports version
 * 1.
 */
const placeholderSlug = '~not-named-yet~';

interface DryRunOptions {
  readonly slug: string | undefined;
  /** Undefined while the text cannot be checked. */
  readonly dialect: Dialect | undefined;
  readonly text: Debounced<string>;
}

/**
 * Asks the server what it would store. The query key has the revision of the text instead of the
 * text itself, which may be megabytes.
 */
export function useDryRun({ slug, dialect, text }: DryRunOptions) {
  const { api, workspaceId } = useSession();
  return useQuery({
    queryKey: ['dry run', workspaceId, slug, dialect, text.revision],
    enabled: dialect !== undefined,
    placeholderData: keepPreviousData,
    // Results depend only on the key. They are dropped with the page, since they may be large.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    queryFn: async ({ signal }) => {
      const path = pathOf('presets', slug ?? placeholderSlug, ...(dialect ? dialectPaths[dialect] : []));
      const query = { dry_run: true, workspace_id: workspaceId };
      return (
        await api.send<One<Preset> & LeftOut>({ method: 'POST', path, query, body: text.value, signal })
      ).content;
    },
  });
}
