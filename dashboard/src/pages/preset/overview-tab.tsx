import { useSearchParams } from 'wouter';
import type { PresetVersion, PresetVersionDetails } from '../../../../src/api/versions.ts';
import { dialectNames } from '../../api/dialects.ts';
import { useVersion } from '../../api/presets.ts';
import { Badge } from '../../components/badge.tsx';
import { Button, ButtonLink } from '../../components/button.tsx';
import { Expandable } from '../../components/code-block.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Loading } from '../../components/loading.tsx';
import { ErrorNotice, Notice } from '../../components/notice.tsx';
import { Panel } from '../../components/page.tsx';
import { formatCount, headOf } from '../../components/text.ts';
import { Time } from '../../components/time.tsx';
import { ConfigPanel } from './config-panel.tsx';
import { extensionParts } from './extension-lists.tsx';
import styles from './preset.module.css';
import { usePresetActions, useShownVersion } from './preset-actions.tsx';
import { parseVersion, presetPath } from './preset-links.ts';
import { TemplateText } from './template-text.tsx';
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
      <div className="stack">
        {number === undefined ? (
          <InvalidVersion text={versionText ?? ''} />
        ) : (
          <ShownVersion number={number} live={live} />
        )}
      </div>
      <div id="versions" tabIndex={-1} className={styles.versionsColumn}>
        <VersionList shown={number} />
      </div>
    </div>
  );
}

/** Everything about one version, and a notice if it is not live. */
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
  const presetd = data?.presetd ?? null;
  return (
    <>
      {number !== live.version && <NotLiveNotice version={number} live={live.version} />}
      <div className="stack-2">
        <VersionHeader version={version} isLive={number === live.version} />
        {presetd?.note !== undefined && <p className={styles.versionNote}>{presetd.note}</p>}
      </div>
      <PromptPanel
        key={number}
        system_prompt={version.system_prompt}
        isTemplate={presetd?.variables !== undefined}
      />
      {extensionParts(presetd).map(({ title, value, content }) => (
        <Panel
          key={title}
          title={title}
          actions={<CopyButton text={JSON.stringify(value, null, 2)} what={`${title} as JSON`} />}
        >
          {content}
        </Panel>
      ))}
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
      <ButtonLink href={presetPath(slug)}>Show live version</ButtonLink>
    </div>
  );
}

interface NotLiveNoticeProps {
  readonly version: number;
  readonly live: number;
}

/** Shown above a version that is not live, with ways to compare it or make it live. */
function NotLiveNotice({ version, live }: NotLiveNoticeProps) {
  const { slug, canRelease, openDialog } = usePresetActions();
  return (
    <Notice
      title={`This is version ${version}. Version ${live} is live.`}
      actions={
        <>
          {canRelease && (
            <Button isSmall onClick={() => openDialog({ kind: 'make-live', version })}>
              Make live…
            </Button>
          )}
          <ButtonLink isSmall href={`${presetPath(slug, 'compare')}?from=${live}&to=${version}`}>
            Compare with live
          </ButtonLink>
          <ButtonLink isSmall variant="quiet" href={presetPath(slug)}>
            Show live version
          </ButtonLink>
        </>
      }
    />
  );
}

interface VersionHeaderProps {
  readonly version: PresetVersion | PresetVersionDetails;
  readonly isLive: boolean;
}

/** The version's number, time, author and captured format. */
function VersionHeader({ version, isLive }: VersionHeaderProps) {
  const details = 'dialect' in version ? version : undefined;
  return (
    <p className={styles.versionHeader}>
      <strong className={styles.versionNumber}>Version {version.version}</strong>
      {isLive && <Badge tone="success">Live</Badge>}
      <span>
        <Time at={version.created_at} />
        {details && ` by ${details.creator_email ?? details.creator_id}`}
      </span>
      {details && <span>captured as {dialectNames[details.dialect]}</span>}
      <a href="#versions" className={styles.toVersions}>
        All versions
      </a>
    </p>
  );
}

interface PromptPanelProps extends Pick<PresetVersion, 'system_prompt'> {
  /** Whether it can contain variables. */
  readonly isTemplate: boolean;
}

/** The system prompt as plain text: Markdown in it is part of the prompt and not rendered. */
function PromptPanel({ system_prompt: prompt, isTemplate }: PromptPanelProps) {
  if (prompt === null)
    return (
      <Panel title="System prompt">
        <p className="muted">No system prompt.</p>
      </Panel>
    );
  return (
    <Panel
      title="System prompt"
      isFlush
      actions={
        <>
          <span className={styles.count}>{formatCount([...prompt].length, 'character', 'characters')}</span>
          <CopyButton text={prompt} what="system prompt" />
        </>
      }
    >
      <Expandable label="System prompt text" className={styles.prompt}>
        {(isExpanded) => {
          const text = isExpanded ? prompt : headOf(prompt);
          return isTemplate ? <TemplateText text={text} /> : text;
        }}
      </Expandable>
    </Panel>
  );
}
