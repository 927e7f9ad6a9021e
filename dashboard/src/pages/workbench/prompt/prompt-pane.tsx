import { useMemo } from 'react';
import { promptExtensions, templateExtensions } from '../../../components/editor/prompt-extensions.ts';
import { TextEditor } from '../../../components/editor/text-editor.tsx';
import { Notice } from '../../../components/notice.tsx';
import { formatCount } from '../../../components/text.ts';
import { readPrompt, writePrompt } from '../prompt-field.ts';
import styles from '../workbench.module.css';
import { useWorkbench } from '../workbench.ts';
import { MessagesEditor } from './messages-editor.tsx';
import { VariablesEditor } from './variables-editor.tsx';

const hint = 'Tab leaves the editor. Type two braces for a variable, Ctrl+F or ⌘+F to search.';

/** The system prompt, few-shot messages and variables. */
export function PromptPane() {
  const { body, dialect, canEdit, variables, edit } = useWorkbench();
  const names = useMemo(() => variables.map(({ name }) => name), [variables]);
  const templates = useMemo(() => templateExtensions(names), [names]);
  if (body === undefined)
    return (
      <Notice kind="warning" title="The request is not valid JSON">
        Correct it under Settings, in the request, to go on here.
      </Notice>
    );
  const prompt = readPrompt(body, dialect);
  return (
    <div className="stack">
      <div className="stack-1">
        <div className={styles.header}>
          <h3>System prompt</h3>
          <span className="note">{countsOf(prompt)}</span>
        </div>
        <div className={styles.promptEditor}>
          <TextEditor
            label="System prompt"
            hint={hint}
            text={prompt}
            extensions={promptExtensions}
            changingExtensions={templates}
            isReadOnly={!canEdit}
            onChange={(next) => edit((text, current) => writePrompt(text, current, dialect, next))}
          />
        </div>
      </div>
      <VariablesEditor />
      <MessagesEditor />
    </div>
  );
}

/** Tokens are estimated: four characters of English make about one. */
function countsOf(prompt: string): string {
  if (prompt === '') return 'Empty';
  const words = prompt.match(/\S+/g)?.length ?? 0;
  return `${formatCount(words, 'word', 'words')} · about ${formatCount(Math.ceil(prompt.length / 4), 'token', 'tokens')}`;
}
