import type { PresetVersion } from '../../../src/client/preset-answers.ts';
import { Expandable } from '../parts/expandable.tsx';
import { Panel } from '../parts/panel.tsx';
import styles from './kept-panel.module.css';
import { KeptValue } from './kept-value.tsx';
import { shortened } from './shortened.ts';

interface KeptPanelProps {
  readonly version: Pick<PresetVersion, 'config' | 'system_prompt'>;
  /** Something newer is being asked for. */
  readonly isStale: boolean;
}

/** What a call to the preset would be made with. */
export function KeptPanel({ version: { config, system_prompt: prompt }, isStale }: KeptPanelProps) {
  return (
    <Panel title="Kept">
      <div className={isStale ? styles.stale : styles.kept} aria-busy={isStale}>
        <dl className={styles.fields}>
          {Object.entries(config).map(([name, value]) => (
            <div key={name} className={styles.field}>
              <dt>{name}</dt>
              <dd>
                <KeptValue value={value} name={name} />
              </dd>
            </div>
          ))}
        </dl>
        {Object.keys(config).length === 0 && <p className="muted">No field of the request.</p>}
        <h3>System prompt</h3>
        {prompt === null ? (
          <p className="muted">None.</p>
        ) : (
          <div className={styles.frame}>
            <Expandable label="System prompt" className={styles.text}>
              {shortened(prompt)}
            </Expandable>
          </div>
        )}
      </div>
    </Panel>
  );
}
