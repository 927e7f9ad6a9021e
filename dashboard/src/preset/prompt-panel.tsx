import type { PresetVersion } from '../../../src/client/preset-answers.ts';
import { beginningOf } from '../parts/bounded-text.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { counted } from '../parts/counted.ts';
import { Expandable } from '../parts/expandable.tsx';
import { Panel } from '../parts/panel.tsx';
import styles from './prompt-panel.module.css';

/** The text as it is: whatever marks it has belong to it. */
export function PromptPanel({ system_prompt: prompt }: Pick<PresetVersion, 'system_prompt'>) {
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
          <span className={styles.count}>{counted([...prompt].length, 'character', 'characters')}</span>
          <CopyButton text={prompt} what="system prompt" />
        </>
      }
    >
      <Expandable label="Text of the system prompt" className={styles.prompt}>
        {(isExpanded) => (isExpanded ? prompt : beginningOf(prompt))}
      </Expandable>
    </Panel>
  );
}
