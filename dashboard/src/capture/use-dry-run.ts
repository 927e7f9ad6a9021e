import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { One } from '../../../src/client/answers.ts';
import type { LeftOut, Preset } from '../../../src/client/preset-answers.ts';
import type { Dialect } from '../../../src/core/preset.ts';
import { pathOf } from '../api/api.ts';
import { dialectPaths } from '../api/dialects.ts';
import type { Debounced } from '../parts/use-debounced.ts';
import { useSession } from '../session/session.tsx';

/** In the place of a slug that is not there yet: one that nobody is likely to have given. */
const anySlug = '~not-named-yet~';

interface DryRunOptions {
  readonly slug: string | undefined;
  /** Undefined where it cannot be asked yet. */
  readonly dialect: Dialect | undefined;
  readonly text: Debounced<string>;
}

/** Asks the server what it would store. The text itself, which may be long, is not part of the name of the question. */
export function useDryRun({ slug, dialect, text }: DryRunOptions) {
  const { api, workspaceId } = useSession();
  return useQuery({
    queryKey: ['dry run', workspaceId, slug, dialect, text.revision],
    enabled: dialect !== undefined,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    queryFn: async ({ signal }) => {
      const path = pathOf('presets', slug ?? anySlug, ...(dialect ? dialectPaths[dialect] : []));
      const query = { dry_run: true, workspace_id: workspaceId };
      return (
        await api.send<One<Preset> & LeftOut>({ method: 'POST', path, query, body: text.value, signal })
      ).content;
    },
  });
}
