import type { PresetVersion } from '../../../src/client/preset-answers.ts';
import { headOf } from '../ui/bounded-text.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { Expandable } from '../ui/expandable.tsx';
import { formatCount } from '../ui/format-number.ts';
import { Panel } from '../ui/panel.tsx';
import styles from './prompt-panel.module.css';

/** The system prompt as plain text: Markdown in it is part of the prompt and not rendered. */
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
          <span className={styles.count}>{formatCount([...prompt].length, 'character', 'characters')}</span>
          <CopyButton text={prompt} what="system prompt" />
        </>
      }
    >
      <Expandable label="System prompt text" className={styles.prompt}>
        {(isExpanded) => (isExpanded ? prompt : headOf(prompt))}
      </Expandable>
    </Panel>
  );
}
