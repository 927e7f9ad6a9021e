import type { JsonObject } from '../../../../src/core/json-object.ts';
import type { Dialect } from '../../../../src/core/presets/preset.ts';
import { recognizeDialect } from '../../../../src/dialects/recognize-dialect.ts';
import { promptExtensions } from '../../components/editor/prompt-extensions.ts';
import { TextEditor } from '../../components/editor/text-editor.tsx';
import { Notice } from '../../components/notice.tsx';
import { checkRequestText } from '../../features/request/check-request.ts';
import { ModelField } from '../../features/request/model-field.tsx';
import { readPrompt, writePrompt } from '../../features/request/prompt-field.ts';
import { setField } from '../../features/request/request-text.ts';
import styles from './new-preset.module.css';

interface PromptFormProps {
  /** The text of the request, which both fields are parts of. */
  readonly text: string;
  readonly dialect: Dialect | undefined;
  /** The user tried to save without a request. */
  readonly isMissing: boolean;
  /** Ignores edits, while a save is in flight. */
  readonly isReadOnly: boolean;
  readonly onChange: (text: string) => void;
}

const hint = 'You can add variables, tools and other settings after creating the preset.';

/** A request as its model and its system prompt, for people who have none to paste. */
export function PromptForm({ text, isMissing, isReadOnly, onChange, ...props }: PromptFormProps) {
  const checked = checkRequestText(text.trim() === '' ? emptyRequest : text);
  if (checked.kind !== 'valid')
    return (
      <Notice kind="warning" title="The request is not valid JSON">
        Fix it under “Paste a request”.
      </Notice>
    );
  const { body } = checked;
  const dialect = props.dialect ?? recognizeDialect(body) ?? 'chat-completions';
  const edit = (change: (current: string, body: JsonObject) => string) =>
    onChange(change(text.trim() === '' ? emptyRequest : text, body));
  return (
    <div className="stack-3">
      <ModelField
        label="Model"
        value={typeof body.model === 'string' ? body.model : ''}
        isReadOnly={isReadOnly}
        onChange={(model = '') => edit((current) => setField(current, ['model'], model))}
      />
      <div className="stack-1">
        <span className="strong">System prompt</span>
        <div className={styles.editor}>
          <TextEditor
            label="System prompt"
            hint={hint}
            text={readPrompt(body, dialect)}
            extensions={promptExtensions}
            isReadOnly={isReadOnly}
            onChange={(prompt) => edit((current) => writePrompt(current, body, dialect, prompt))}
          />
        </div>
        <p className={isMissing ? styles.required : 'note'}>
          {isMissing ? 'Choose a model and write a prompt.' : hint}
        </p>
      </div>
    </div>
  );
}

/** Chat completions need a message; the prompt replaces this one. */
const emptyRequest = `{
  "model": "",
  "messages": [{ "role": "user", "content": "" }]
}
`;
