import { useRef, useState } from 'react';
import type { PresetVersion } from '../../../src/client/preset-answers.ts';
import { beginningOf } from '../parts/bounded-text.ts';
import { Button } from '../parts/button.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { Panel } from '../parts/panel.tsx';
import styles from './prompt-panel.module.css';

/** The text as it is: whatever marks it has belong to it. */
export function PromptPanel({ system_prompt: prompt }: Pick<PresetVersion, 'system_prompt'>) {
  const section = useRef<HTMLElement>(null);
  const [whole, setWhole] = useState<string>();
  if (prompt === null)
    return (
      <Panel title="System prompt">
        <p className="muted">No system prompt.</p>
      </Panel>
    );
  const shown = whole === prompt ? prompt : beginningOf(prompt);
  const showAll = () => {
    setWhole(prompt);
    section.current?.focus();
  };
  return (
    <Panel
      title="System prompt"
      isFlush
      actions={
        <>
          <span className={styles.count}>{describeLength(prompt)}</span>
          <CopyButton text={prompt} what="system prompt" />
        </>
      }
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
      <section ref={section} className={styles.prompt} tabIndex={0} aria-label="Text of the system prompt">
        {shown}
      </section>
      {shown !== prompt && (
        <Button isSmall variant="quiet" onClick={showAll}>
          Show all {describeLength(prompt)}
        </Button>
      )}
    </Panel>
  );
}

function describeLength(text: string): string {
  const characters = [...text].length;
  return `${characters.toLocaleString('en-US')} ${characters === 1 ? 'character' : 'characters'}`;
}
