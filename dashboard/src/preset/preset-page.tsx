import { isStatus } from '../api/api-error.ts';
import { usePreset } from '../api/presets.ts';
import { NotFoundPage } from '../layout/not-found-page.tsx';
import { ErrorNotice } from '../parts/error-notice.tsx';
import { Loading } from '../parts/loading.tsx';
import { Page } from '../parts/page.tsx';
import { MissingPreset } from './missing-preset.tsx';
import { PresetFrame } from './preset-frame.tsx';
import { isTab, PresetTab } from './preset-tab.tsx';

interface PresetPageProps {
  readonly slug: string;
  readonly tab: string | undefined;
}

export function PresetPage({ slug, tab = 'overview' }: PresetPageProps) {
  const { data, error, refetch } = usePreset(slug);
  if (!isTab(tab)) return <NotFoundPage />;
  if (isStatus(error, 404)) return <MissingPreset slug={slug} message={error.message} />;
  const notice = error && (
    <ErrorNotice error={error} title="The preset could not be read." retry={() => void refetch()} />
  );
  if (data === undefined)
    return <Page title={slug}>{notice ?? <Loading lines={8} label="Loading the preset" />}</Page>;
  return (
    <PresetFrame slug={slug} seen={data} tab={tab}>
      {notice}
      <PresetTab slug={slug} seen={data} tab={tab} />
    </PresetFrame>
  );
}
