import { Play } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { Link } from 'wouter';
import { useLabels, useVersion } from '../../../api/presets.ts';
import { ButtonLink } from '../../../components/button.tsx';
import { CodeBlock } from '../../../components/code-block.tsx';
import {
  type Highlight,
  highlightPython,
  highlightShell,
  highlightTypescript,
} from '../../../components/code-highlight.ts';
import { CopyButton } from '../../../components/copy-button.tsx';
import { SelectField } from '../../../components/fields.tsx';
import { Loading } from '../../../components/loading.tsx';
import { Notice } from '../../../components/notice.tsx';
import { Panel } from '../../../components/page.tsx';
import { runPath } from '../../../components/preset-links.ts';
import { useUrlParams } from '../../../components/use-url-params.ts';
import {
  listedMax,
  type VersionPointers,
  versionOptions,
} from '../../../features/comparison/version-choice.ts';
import { VersionNumberField } from '../../../features/comparison/version-field.tsx';
import { usePresetActions } from '../../../features/preset-changes/use-preset-actions.ts';
import { maxTokensOf } from '../../../features/version-content/config-values.ts';
import { variablesOf } from '../../../features/version-content/describe-variable.ts';
import { exampleValues } from './example-values.ts';
import { describePin, modelReference, type Pin, parsePin, pinExists, resolvePin } from './pins.ts';
import { type SnippetId, type SnippetOptions, snippetsFor } from './snippets.ts';
import styles from './use-tab.module.css';

/**
 * The "Use" tab: the model name to call, and code examples. The layout around it explains why a
 * preset that is not active cannot be called.
 */
export function UseTab() {
  const { slug, snapshot } = usePresetActions();
  const { value, change } = useUrlParams();
  const labels = useLabels(slug);
  // In the URL, so that it can be shared.
  const pin = parsePin(value('pin'));
  const live = snapshot.preset.designated_version.version;
  const versions = { latest: snapshot.latest, live, labels: labels.data?.data ?? [] };
  const version = resolvePin(pin, versions);
  // For its variables, and for its token limit, which some clients must repeat.
  const pinned = useVersion(slug, version);
  // Without labels, a pin to a label would be reported as unknown. If they fail to load, continue.
  if (labels.data === undefined && !labels.error) return <Loading lines={8} label="Loading labels" />;
  const reference = modelReference(slug, pin);
  return (
    <div className="stack">
      <ModelNamePanel
        actions={
          version !== undefined &&
          snapshot.preset.status === 'active' && (
            <ButtonLink isSmall href={runPath(slug, pin === '' ? 'live' : version)}>
              <Play aria-hidden="true" />
              Run it in the workbench
            </ButtonLink>
          )
        }
        pin={pin}
        reference={reference}
        versions={versions}
        onChange={(next) => change({ pin: next }, { replace: true })}
      />
      <SnippetsPanel
        reference={reference}
        maxTokens={maxTokensOf(pinned.data?.config)}
        variables={exampleValues(variablesOf(pinned.data?.presetd))}
        hasPolicy={pinned.data?.presetd?.policy !== undefined}
      />
    </div>
  );
}

interface ModelNamePanelProps {
  readonly actions: ReactNode;
  readonly pin: Pin;
  readonly reference: string;
  readonly versions: VersionPointers;
  readonly onChange: (pin: Pin) => void;
}

/** Lets the user pick a version or label and shows the model name that calls it. */
function ModelNamePanel({ actions, pin, reference, versions, onChange }: ModelNamePanelProps) {
  const exists = pinExists(pin, versions);
  return (
    <Panel title="Model name" actions={actions}>
      <div className={styles.choice}>
        <SelectField
          label="Version"
          value={pin}
          options={exists ? optionsOf(versions, pin) : [[pin, `Unknown: ${pin}`], ...optionsOf(versions, '')]}
          hint={exists ? describePin(pin, versions) : undefined}
          onChange={onChange}
        />
        {versions.latest > listedMax && (
          <VersionNumberField
            label="Version number"
            latest={versions.latest}
            onChange={(version) => onChange(String(version))}
          />
        )}
        <div className={styles.reference}>
          <code>{reference}</code>
          <CopyButton text={reference} what="model name" />
        </div>
      </div>
      {!exists && (
        <Notice kind="warning">
          This preset has no version or label “{pin}”. It has versions 1 to {versions.latest}
          {versions.labels.length > 0 &&
            ` and the labels ${versions.labels.map(({ label }) => label).join(', ')}`}
          . Calls with this model name fail with status 404.
        </Notice>
      )}
    </Panel>
  );
}

/** First what follows the preset, then labels, then fixed versions. */
function optionsOf(versions: VersionPointers, pin: Pin): readonly (readonly [Pin, string])[] {
  const chosen = /^\d/.test(pin) ? [Number(pin)] : [];
  return [
    ['', 'Live version'],
    ...versions.labels.map(({ label, version }) => [label, `Label ${label} · version ${version}`] as const),
    ['latest', 'Latest version'],
    ...versionOptions(versions, chosen),
  ];
}

interface SnippetsPanelProps extends Omit<SnippetOptions, 'origin'> {
  readonly hasPolicy: boolean;
}

/** Code examples for common clients, with this server's address and the selected model name. */
function SnippetsPanel({ hasPolicy, ...options }: SnippetsPanelProps) {
  const [selected, setSelected] = useState<SnippetId>('curl');
  const name = useId();
  const snippets = snippetsFor({ origin: location.origin, ...options });
  // Some clients cannot send the variables of every version.
  const snippet = snippets.find(({ id }) => id === selected) ?? snippets[0];
  return (
    <Panel title="Code examples">
      <div className="stack-3">
        <fieldset className={styles.clients}>
          <legend className="visually-hidden">Client</legend>
          {snippets.map(({ id, title }) => (
            <label key={id} className={styles.client}>
              <input
                type="radio"
                className={styles.radio}
                name={name}
                value={id}
                checked={id === snippet?.id}
                onChange={() => setSelected(id)}
              />
              {title}
            </label>
          ))}
        </fieldset>
        {snippet && (
          <CodeBlock
            label={`${snippet.title} example`}
            code={snippet.code}
            highlight={highlightOf(snippet.id)}
          />
        )}
        <p className="muted">
          Set <code>PRESETD_API_KEY</code> to an API key of this workspace, which you can create on{' '}
          <Link href="~/account">your account page</Link>. Fields in the request override the preset
          {hasPolicy && ', unless its policy says otherwise'}.
        </p>
      </div>
    </Panel>
  );
}

function highlightOf(id: SnippetId): Highlight {
  if (id === 'curl') return highlightShell;
  return id.endsWith('python') ? highlightPython : highlightTypescript;
}
