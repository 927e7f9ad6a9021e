import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { One } from '../../../src/client/answers.ts';
import type { PresetVersionDetails } from '../../../src/client/preset-answers.ts';
import { recognizeDialect } from '../../../src/dialects/recognize-dialect.ts';
import { pathOf } from '../api/api.ts';
import { useReadPreset } from '../api/presets.ts';
import { ErrorNotice } from '../parts/error-notice.tsx';
import { Loading } from '../parts/loading.tsx';
import { Page } from '../parts/page.tsx';
import { useSession } from '../session/session.tsx';
import { CaptureForm } from './capture-form.tsx';
import { type Draft, draftName } from './drafts.ts';
import { requestOfVersion } from './request-of-version.ts';

/** Begins with the live version, as a request that can be changed. */
export function NewVersion({ slug }: { readonly slug: string }) {
  const { data, error, refetch } = useOpenedPreset(slug);
  const name = draftName(useSession(), slug);
  if (data !== undefined) return <CaptureForm key={name} draftName={name} pristine={data} />;
  return (
    <Page title={`New version of ${slug}`}>
      {error ? (
        <ErrorNotice error={error} title="The preset could not be read." retry={() => void refetch()} />
      ) : (
        <Loading lines={8} label="Loading the live version" />
      )}
    </Page>
  );
}

/** The state in which the page was opened: whatever becomes of the preset meanwhile, this is what was seen. */
function useOpenedPreset(slug: string) {
  const { api, workspaceId } = useSession();
  const readPreset = useReadPreset();
  const { data, ...query } = useQuery({
    queryKey: ['opened preset', workspaceId, slug],
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    queryFn: async ({ signal }) => {
      const before = await readPreset(slug, signal);
      const path = pathOf('presets', slug, 'versions', before.preset.designated_version.version);
      const answer = api.send<One<PresetVersionDetails>>({
        path,
        query: { workspace_id: workspaceId },
        signal,
      });
      return { before, version: (await answer).content.data };
    },
  });
  return {
    ...query,
    data: useMemo(() => data && { ...startOf(data.version), slug, before: data.before }, [data, slug]),
  };
}

/** Few fields may not tell how they are written, so it is said where they do not. */
function startOf(version: PresetVersionDetails): Pick<Draft, 'text' | 'dialect'> {
  const text = requestOfVersion(version);
  const isRecognized = recognizeDialect(JSON.parse(text)) === version.dialect;
  return { text, dialect: isRecognized ? undefined : version.dialect };
}
