import { useSearchParams } from 'wouter';
import type { PresetVersion, PresetVersionDetails } from '../../../src/client/preset-answers.ts';
import { pathOf } from '../api/api.ts';
import { useVersion } from '../api/presets.ts';
import { ButtonLink } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Loading } from '../ui/loading.tsx';
import { Notice } from '../ui/notice.tsx';
import { ConfigPanel } from './config-panel.tsx';
import { NotLiveNotice } from './not-live-notice.tsx';
import styles from './overview-tab.module.css';
import { usePresetActions, useShownVersion } from './preset-actions-context.tsx';
import { parseVersion } from './preset-links.ts';
import { PromptPanel } from './prompt-panel.tsx';
import { VersionHeader } from './version-header.tsx';
import { VersionList } from './version-list.tsx';

/**
 * One version next to the list of all versions. The URL may name the version; by default it is the
 * live one.
 */
export function OverviewTab() {
  const { snapshot } = usePresetActions();
  const [search] = useSearchParams();
  const versionText = search.get('version');
  const live = snapshot.preset.designated_version;
  const number = versionText === null ? live.version : parseVersion(versionText);
  return (
    <div className={styles.columns}>
      <div className={styles.version}>
        {number === undefined ? (
          <InvalidVersion text={versionText ?? ''} />
        ) : (
          <ShownVersion number={number} live={live} />
        )}
      </div>
      <div id="versions" tabIndex={-1} className={styles.versions}>
        <VersionList shown={number} />
      </div>
    </div>
  );
}

/** Prompt and config of one version, and a notice if it is not live. */
function ShownVersion({ number, live }: { readonly number: number; readonly live: PresetVersion }) {
  const { slug } = usePresetActions();
  const { data, error, refetch } = useVersion(slug, number);
  // The live version comes with the preset, without its author; use it until the details arrive.
  const version: PresetVersion | PresetVersionDetails | undefined =
    data ?? (number === live.version ? live : undefined);
  useShownVersion(version?.version);
  if (version === undefined)
    return error ? (
      <>
        <ErrorNotice error={error} title={`Could not load version ${number}`} retry={() => void refetch()} />
        <LiveVersionLink />
      </>
    ) : (
      <Loading lines={8} label="Loading version" />
    );
  return (
    <>
      {number !== live.version && <NotLiveNotice version={number} live={live.version} />}
      <VersionHeader version={version} isLive={number === live.version} />
      <PromptPanel key={number} system_prompt={version.system_prompt} />
      <ConfigPanel config={version.config} />
    </>
  );
}

function InvalidVersion({ text }: { readonly text: string }) {
  return (
    <Notice kind="danger" title={`Version “${text}” does not exist`} actions={<LiveVersionLink />}>
      Versions are numbered from 1.
    </Notice>
  );
}

function LiveVersionLink() {
  const { slug } = usePresetActions();
  return (
    <div>
      <ButtonLink href={pathOf('presets', slug)}>Show live version</ButtonLink>
    </div>
  );
}
