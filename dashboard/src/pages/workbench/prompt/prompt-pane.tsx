import { useMemo, useRef } from 'react';
import type { JsonObject } from '../../../../../src/core/json/json-object.ts';
import type { Dialect } from '../../../../../src/core/presets/preset.ts';
import { Button } from '../../../components/button.tsx';
import { classNames } from '../../../components/class-names.ts';
import { keysText } from '../../../components/commands.ts';
import { promptExtensions } from '../../../components/editor/prompt-extensions.ts';
import { type EditorHandle, TextEditor } from '../../../components/editor/text-editor.tsx';
import { Notice } from '../../../components/notice.tsx';
import { formatCount } from '../../../components/text.ts';
import { useToast } from '../../../components/toasts.tsx';
import { useDebounced } from '../../../components/use-debounced.ts';
import { readPrompt, writePrompt } from '../../../features/request/prompt-field.ts';
import { declareVariable, suggestName } from '../../../features/request/variables.ts';
import { useUndoableEdit } from '../use-undoable-edit.ts';
import styles from '../workbench.module.css';
import { useDraft, useWorkbench } from '../workbench.ts';
import { estimateTokens } from './estimate-tokens.ts';
import { MessagesEditor } from './messages-editor.tsx';
import { useTemplates } from './use-templates.ts';
import { VariablesEditor } from './variables-editor.tsx';

const hint = `Tab leaves the editor. Type two braces for a variable, ${keysText('Mod+F')} to search.`;

/** The system prompt, few-shot messages and variables. */
export function PromptPane() {
  const { dialect, canEdit, edit, preset } = useWorkbench();
  const current = useDraft(({ body }) => body && textIn(body, dialect));
  // While the request is not valid, the editor keeps the last prompt and with it the undo history.
  const last = useRef('');
  last.current = current ?? last.current;
  const prompt = last.current;
  const variables = useDraft((draft) => draft.variables);
  const names = variables.map(({ name }) => name);
  const templates = useTemplates();
  const editor = useRef<EditorHandle>(null);
  const showToast = useToast();
  const editWithUndo = useUndoableEdit();
  /** The selected words become the default, so that the prompt still reads the same. */
  const makeVariable = () => {
    const { from: start = 0, to: end = 0 } = editor.current?.selection() ?? {};
    const selected = prompt.slice(start, end).trim();
    // Selecting by word includes the space beside it.
    const from = prompt.indexOf(selected, start);
    const to = from + selected.length;
    if (selected === '') return showToast('Select the words that vary, then make them a variable');
    if (/\{\{|\}\}/.test(selected)) return showToast('Select text that contains no variables');
    const name = suggestName(selected, names);
    editWithUndo(`Added the variable ${name}`, (text, current) => {
      const changed = `${prompt.slice(0, from)}{{${name}}}${prompt.slice(to)}`;
      return declareVariable(writePrompt(text, current, dialect, changed), name, {
        type: 'string',
        default: selected,
      });
    });
  };
  return (
    <div className={classNames('stack', styles.promptPane)}>
      {current === undefined && (
        <Notice kind="warning" title="The request is not valid JSON">
          Fix it in Settings → Request, then continue here.
        </Notice>
      )}
      <div className={styles.promptColumns}>
        <div className={classNames('stack-1', styles.promptText)}>
          <div className={styles.header}>
            <h3>System prompt</h3>
            <span className={styles.tools}>
              <Counts prompt={prompt} />
              {canEdit && current !== undefined && (
                <Button isSmall onClick={makeVariable}>
                  Make variable
                </Button>
              )}
            </span>
          </div>
          <div className={styles.promptEditor}>
            <TextEditor
              ref={editor}
              label="System prompt"
              hint={hint}
              text={prompt}
              extensions={promptExtensions}
              changingExtensions={templates}
              isReadOnly={!canEdit || current === undefined}
              focusOnMount={preset === undefined && prompt === ''}
              onChange={(next) => edit((text, current) => writePrompt(text, current, dialect, next))}
            />
          </div>
        </div>
        {current !== undefined && (
          <div className="stack">
            <VariablesEditor />
            <MessagesEditor />
          </div>
        )}
      </div>
    </div>
  );
}

/** The editor has no carriage returns, and its positions refer to this text. */
function textIn(body: JsonObject, dialect: Dialect): string {
  return readPrompt(body, dialect).replaceAll(/\r\n?/g, '\n');
}

/** Counting takes milliseconds for a long prompt. */
const countPauseMs = 250;

function Counts({ prompt }: { readonly prompt: string }) {
  const { value } = useDebounced(prompt, countPauseMs);
  const counts = useMemo(() => countsOf(value), [value]);
  return (
    <span className="note" title="The number of tokens is an estimate. Models count differently.">
      {counts}
    </span>
  );
}

function countsOf(prompt: string): string {
  if (prompt === '') return 'Empty';
  const words = prompt.match(/\S+/g)?.length ?? 0;
  const tokens = estimateTokens(prompt);
  return `${formatCount(words, 'word', 'words')} · about ${formatCount(tokens, 'token', 'tokens')}`;
}
