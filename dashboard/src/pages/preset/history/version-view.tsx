import { PencilLine } from 'lucide-react';
import type { PresetVersion, PresetVersionDetails } from '../../../../../src/api/versions.ts';
import { dialectNames } from '../../../api/dialects.ts';
import { useVersion } from '../../../api/presets.ts';
import { Badge } from '../../../components/badge.tsx';
import { Button, ButtonLink } from '../../../components/button.tsx';
import { Expandable } from '../../../components/code-block.tsx';
import { CopyButton } from '../../../components/copy-button.tsx';
import { Panel } from '../../../components/page.tsx';
import { Pending } from '../../../components/pending.tsx';
import { comparePath, editPath, versionPath } from '../../../components/preset-links.ts';
import { formatCount, headOf } from '../../../components/text.ts';
import { Time } from '../../../components/time.tsx';
import type { VersionPointers } from '../../../features/comparison/version-choice.ts';
import { PersonName } from '../../../features/organization/person-name.tsx';
import { usePresetActions } from '../../../features/preset-changes/use-preset-actions.ts';
import { ConfigPanel } from '../../../features/version-content/config-panel.tsx';
import { extensionParts } from '../../../features/version-content/extension-lists.tsx';
import { TemplateText } from '../../../features/version-content/template-text.tsx';
import { LinkedVersionFacts } from '../../../features/version-usage/version-facts.tsx';
import { LabelChips } from '../label-chips.tsx';
import { CopyLinkButton } from './copy-link.tsx';
import styles from './history.module.css';
import { VersionMenu } from './version-menu.tsx';

interface VersionViewProps {
  readonly version: number;
  readonly versions: VersionPointers;
}

/** Everything about one version, and what can be done with it. */
export function VersionView({ version: number, versions }: VersionViewProps) {
  const { slug } = usePresetActions();
  const query = useVersion(slug, number);
  const { data: version } = query;
  if (version === undefined)
    return (
      <Pending query={query} title={`Could not load version ${number}`} lines={8} label="Loading version" />
    );
  const { presetd } = version;
  return (
    <div className="stack">
      <VersionHeader version={version} versions={versions} />
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
    </div>
  );
}

interface VersionHeaderProps {
  readonly version: PresetVersionDetails;
  readonly versions: VersionPointers;
}

function VersionHeader({ version, versions: { live, labels } }: VersionHeaderProps) {
  const { slug, snapshot, canChange, canRelease, openDialog } = usePresetActions();
  const { version: number, created_at, creator_email, creator_id, dialect, presetd } = version;
  const from = number > live ? live : number;
  return (
    <header className={styles.versionHeader}>
      <div className={styles.versionTitle}>
        <h2>Version {number}</h2>
        {number === live ? <Badge tone="live">Live</Badge> : <Badge>Not live</Badge>}
        <LabelChips labels={labels.filter((label) => label.version === number)} />
      </div>
      <div className={styles.versionActions}>
        {number !== live && (
          <ButtonLink isSmall href={comparePath(slug, { from, to: Math.max(number, live) })}>
            Compare with live
          </ButtonLink>
        )}
        {number > 1 && number - 1 !== live && (
          <ButtonLink isSmall href={comparePath(slug, { from: number - 1, to: number })}>
            Compare with previous
          </ButtonLink>
        )}
        <CopyLinkButton path={versionPath(slug, number)} />
        {canRelease && number !== live && (
          <Button isSmall onClick={() => openDialog({ kind: 'make-live', version: number })}>
            Make live…
          </Button>
        )}
        {canChange && (
          <ButtonLink isSmall variant="primary" href={editPath(slug, number)}>
            <PencilLine aria-hidden="true" />
            Edit in workbench
          </ButtonLink>
        )}
        <VersionMenu version={number} details={version} live={live} what={`version ${number} on screen`} />
      </div>
      <p className="note">
        <Time at={created_at} /> by <PersonName email={creator_email ?? creator_id} />, captured as{' '}
        {dialectNames[dialect]}
      </p>
      <LinkedVersionFacts preset={snapshot.preset} version={number} />
      {presetd?.note !== undefined && <p className={styles.versionNote}>{presetd.note}</p>}
    </header>
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
