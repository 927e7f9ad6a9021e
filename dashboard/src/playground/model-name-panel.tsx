import { VersionNumberField } from '../compare/version-field.tsx';
import { listedMax, type VersionPointers, versionOptions } from '../compare/version-options.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { Notice } from '../ui/notice.tsx';
import { Panel } from '../ui/panel.tsx';
import { SelectField } from '../ui/select-field.tsx';
import styles from './model-name-panel.module.css';
import { describePin, type Pin, pinExists } from './pins.ts';

interface ModelNamePanelProps {
  readonly pin: Pin;
  readonly reference: string;
  readonly versions: VersionPointers;
  readonly onChange: (pin: Pin) => void;
}

/** Lets the user pick a version or label and shows the model name that calls it. */
export function ModelNamePanel({ pin, reference, versions, onChange }: ModelNamePanelProps) {
  const exists = pinExists(pin, versions);
  return (
    <Panel title="Model name">
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
