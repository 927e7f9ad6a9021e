import type { PresetVersion } from '../../../src/client/preset-answers.ts';
import { Expandable } from '../ui/expandable.tsx';
import { Panel } from '../ui/panel.tsx';
import styles from './saved-panel.module.css';
import { SavedValue } from './saved-value.tsx';
import { truncate } from './truncate.ts';

interface SavedPanelProps {
  readonly version: Pick<PresetVersion, 'config' | 'system_prompt'>;
  /** A newer result is loading. */
  readonly isStale: boolean;
}

/** What the version would save: config fields and system prompt. */
export function SavedPanel({ version: { config, system_prompt: prompt }, isStale }: SavedPanelProps) {
  return (
    <Panel title="Saved">
      <div className={isStale ? styles.stale : styles.current} aria-busy={isStale}>
        <dl className={styles.fields}>
          {Object.entries(config).map(([name, value]) => (
            <div key={name} className={styles.field}>
              <dt>{name}</dt>
              <dd>
                <SavedValue value={value} name={name} />
              </dd>
            </div>
          ))}
        </dl>
        {Object.keys(config).length === 0 && <p className="muted">No config fields.</p>}
        <h3>System prompt</h3>
        {prompt === null ? (
          <p className="muted">No system prompt.</p>
        ) : (
          <div className={styles.frame}>
            <Expandable label="System prompt" className={styles.text}>
              {truncate(prompt)}
            </Expandable>
          </div>
        )}
      </div>
    </Panel>
  );
}
