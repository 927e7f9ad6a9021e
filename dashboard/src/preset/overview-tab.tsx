import { useSearchParams } from 'wouter';
import type { PresetVersion, PresetVersionDetails } from '../../../src/client/preset-answers.ts';
import { pathOf } from '../api/api.ts';
import { useVersion } from '../api/presets.ts';
import { ButtonLink } from '../parts/button.tsx';
import { ErrorNotice } from '../parts/error-notice.tsx';
import { Loading } from '../parts/loading.tsx';
import { Notice } from '../parts/notice.tsx';
import { ConfigPanel } from './config-panel.tsx';
import { OtherVersionNotice } from './other-version-notice.tsx';
import styles from './overview-tab.module.css';
import { usePresetActions, useShownVersion } from './preset-actions.tsx';
import { PromptPanel } from './prompt-panel.tsx';
import { Timeline } from './timeline.tsx';
import { parseVersion } from './version-address.ts';
import { VersionLine } from './version-line.tsx';

/** One version, the live one unless the address names another, and beside it all of them. */
export function OverviewTab() {
  const { seen } = usePresetActions();
  const [search] = useSearchParams();
  const asked = search.get('version');
  const live = seen.preset.designated_version;
  const number = asked === null ? live.version : parseVersion(asked);
  return (
    <div className={styles.columns}>
      <div className={styles.version}>
        {number === undefined ? (
          <NoNumber asked={asked ?? ''} />
        ) : (
          <ShownVersion number={number} live={live} />
        )}
      </div>
      <div id="versions" tabIndex={-1} className={styles.versions}>
        <Timeline shown={number} />
      </div>
    </div>
  );
}

function ShownVersion({ number, live }: { readonly number: number; readonly live: PresetVersion }) {
  const { slug } = usePresetActions();
  const { data, error, refetch } = useVersion(slug, number);
  // The live version comes with the preset, all but who made it.
  const version: PresetVersion | PresetVersionDetails | undefined =
    data ?? (number === live.version ? live : undefined);
  useShownVersion(version?.version);
  if (version === undefined)
    return error ? (
      <>
        <ErrorNotice
          error={error}
          title={`Version ${number} could not be read.`}
          retry={() => void refetch()}
        />
        <ToLiveVersion />
      </>
    ) : (
      <Loading lines={8} label="Loading the version" />
    );
  return (
    <>
      {number !== live.version && <OtherVersionNotice version={number} live={live.version} />}
      <VersionLine version={version} isLive={number === live.version} />
      <PromptPanel key={number} system_prompt={version.system_prompt} />
      <ConfigPanel config={version.config} />
    </>
  );
}

function NoNumber({ asked }: { readonly asked: string }) {
  return (
    <Notice kind="danger" title={`There is no version “${asked}”.`} actions={<ToLiveVersion />}>
      A version is a whole number from 1.
    </Notice>
  );
}

function ToLiveVersion() {
  const { slug } = usePresetActions();
  return (
    <div>
      <ButtonLink href={pathOf('presets', slug)}>Show the live version</ButtonLink>
    </div>
  );
}
