import { isStatus } from '../api/api-error.ts';
import { usePreset } from '../api/presets.ts';
import { NotFoundPage } from '../layout/not-found-page.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Loading } from '../ui/loading.tsx';
import { Page } from '../ui/page.tsx';
import { MissingPreset } from './missing-preset.tsx';
import { PresetLayout } from './preset-layout.tsx';
import { isTab, PresetTab } from './preset-tab.tsx';

interface PresetPageProps {
  readonly slug: string;
  readonly tab: string | undefined;
}

/** Loads the preset. If a later refetch fails, the last state stays visible below the error. */
export function PresetPage({ slug, tab = 'overview' }: PresetPageProps) {
  const { data, error, refetch } = usePreset(slug);
  // The URL's last segment is free text.
  if (!isTab(tab)) return <NotFoundPage />;
  if (isStatus(error, 404)) return <MissingPreset slug={slug} message={error.message} />;
  const notice = error && (
    <ErrorNotice error={error} title="Could not load the preset" retry={() => void refetch()} />
  );
  if (data === undefined)
    return <Page title={slug}>{notice ?? <Loading lines={8} label="Loading preset" />}</Page>;
  return (
    <PresetLayout slug={slug} snapshot={data} tab={tab}>
      {notice}
      <PresetTab slug={slug} snapshot={data} tab={tab} />
    </PresetLayout>
  );
}
