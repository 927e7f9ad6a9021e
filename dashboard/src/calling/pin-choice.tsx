import { NumberField } from '../compare/version-field.tsx';
import { type KnownVersions, listedMax, versionOptions } from '../compare/version-options.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Notice } from '../parts/notice.tsx';
import { Panel } from '../parts/panel.tsx';
import { SelectField } from '../parts/select-field.tsx';
import styles from './pin-choice.module.css';
import { describePin, isKnownPin, type Pin } from './pins.ts';

interface PinChoiceProps {
  readonly pin: Pin;
  readonly reference: string;
  readonly versions: KnownVersions;
  readonly onChange: (pin: Pin) => void;
}

/** What a program writes where it would name a model. */
export function PinChoice({ pin, reference, versions, onChange }: PinChoiceProps) {
  const isKnown = isKnownPin(pin, versions);
  return (
    <Panel title="Model name">
      <div className={styles.choice}>
        <SelectField
          label="Version"
          value={pin}
          options={
            isKnown ? optionsOf(versions, pin) : [[pin, `Unknown: ${pin}`], ...optionsOf(versions, '')]
          }
          hint={isKnown ? describePin(pin, versions) : undefined}
          onChange={onChange}
        />
        {versions.latest > listedMax && (
          <NumberField
            label="Version, by number"
            latest={versions.latest}
            onChange={(version) => onChange(String(version))}
          />
        )}
        <div className={styles.reference}>
          <code>{reference}</code>
          <CopyButton text={reference} what="the model name" />
        </div>
      </div>
      {!isKnown && (
        <Notice kind="warning">
          This preset has no version or label “{pin}”: it has versions 1 to {versions.latest}
          {versions.labels.length > 0 &&
            ` and the labels ${versions.labels.map(({ label }) => label).join(', ')}`}
          . Programs that ask for it are told so, with status 404.
        </Notice>
      )}
    </Panel>
  );
}

function optionsOf(versions: KnownVersions, pin: Pin): readonly (readonly [Pin, string])[] {
  const chosen = /^\d/.test(pin) ? [Number(pin)] : [];
  return [
    ['', 'Always the live version'],
    ...versions.labels.map(({ label, version }) => [label, `Label ${label} · version ${version}`] as const),
    ['latest', 'Always the newest version'],
    ...versionOptions(versions, chosen).map(
      ([version, text]) => [version, `Only ${text.toLowerCase()}`] as const,
    ),
  ];
}
