import { applyEdits, format } from 'jsonc-parser';
import type { RefObject } from 'react';
import { Button } from '../../components/button.tsx';
import { jsonExtensions } from '../../components/editor/json-extensions.ts';
import { type EditorHandle, TextEditor } from '../../components/editor/text-editor.tsx';
import type { Report } from '../../features/capture/use-capture.ts';
import { checkRequestText } from '../../features/request/check-request.ts';
import styles from './new-preset.module.css';

interface RequestEditorProps {
  readonly editor: RefObject<EditorHandle | null>;
  readonly text: string;
  /** The user tried to save without a request. */
  readonly isMissing: boolean;
  /** Ignores edits, while a save is in flight. */
  readonly isReadOnly: boolean;
  readonly report: Report;
  readonly onChange: (text: string) => void;
}

const hint = 'Tab leaves the editor, Ctrl+Enter or ⌘+Enter saves, F8 goes to the next problem or warning.';

/** The editor with its label, tools and hint. */
export function RequestEditor(props: RequestEditorProps) {
  const { editor, text, isMissing, isReadOnly, report, onChange } = props;
  return (
    <div className="stack-1">
      <div className={styles.bodyHeader}>
        <span className="strong">Request body</span>
        {text.trim() === '' ? (
          <Button isSmall onClick={() => editor.current?.replaceText(exampleRequest)}>
            Insert example
          </Button>
        ) : (
          <Button isSmall onClick={() => prettify(text, editor.current)}>
            Prettify
          </Button>
        )}
      </div>
      <div className={styles.editor}>
        <TextEditor
          ref={editor}
          label="Request body"
          hint={hint}
          text={text}
          extensions={jsonExtensions}
          isReadOnly={isReadOnly}
          marks={report}
          onChange={onChange}
        />
      </div>
      <p className={isMissing ? styles.required : 'note'}>
        {isMissing ? 'Paste a request body or insert the example.' : hint}
      </p>
    </div>
  );
}

/** Changes only whitespace. Parsing and serializing instead could change numbers and escapes. */
function prettify(text: string, editor: EditorHandle | null): void {
  const checked = checkRequestText(text);
  if (checked.kind === 'invalid') editor?.goTo(checked.problem.from);
  else editor?.replaceText(indented(text));
}

/** Changes only whitespace, like `prettify`. */
export function indented(text: string): string {
  return applyEdits(text, format(text, undefined, { insertSpaces: true, tabSize: 2 }));
}

/** Inserted on request, for users who have no request at hand. */
const exampleRequest = `{
  "model": "openai/gpt-5",
  "temperature": 0.2,
  "messages": [
    { "role": "system", "content": "You support Acme customers. Be brief." },
    { "role": "user", "content": "Where is my parcel?" }
  ]
}
`;
