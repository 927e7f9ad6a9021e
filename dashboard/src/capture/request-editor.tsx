import { applyEdits, format } from 'jsonc-parser';
import type { RefObject } from 'react';
import { Button } from '../parts/button.tsx';
import styles from './capture-form.module.css';
import { checkRequestText } from './check-request-text.ts';
import { exampleRequest } from './example-request.ts';
import { JsonEditor, type JsonEditorHandle } from './json-editor.tsx';
import type { Report } from './use-capture.ts';

interface RequestEditorProps {
  readonly editor: RefObject<JsonEditorHandle | null>;
  readonly startText: string;
  readonly text: string;
  /** It was tried without a request. */
  readonly isMissed: boolean;
  /** It cannot be changed now. */
  readonly isFixed: boolean;
  readonly report: Report;
  readonly onChange: (text: string) => void;
}

const hint = 'Tab leaves the editor. Ctrl+Enter or Cmd+Enter saves. F8 goes to the next problem or warning.';

export function RequestEditor(props: RequestEditorProps) {
  const { editor, startText, text, isMissed, isFixed, report, onChange } = props;
  return (
    <div className={styles.body}>
      <div className={styles.bodyHeader}>
        <span className={styles.label}>Request body</span>
        {text.trim() === '' ? (
          <Button isSmall onClick={() => editor.current?.replaceText(exampleRequest)}>
            Insert an example
          </Button>
        ) : (
          <Button isSmall onClick={() => indent(text, editor.current)}>
            Indent
          </Button>
        )}
      </div>
      <JsonEditor
        ref={editor}
        label="Request body"
        hint={hint}
        startText={startText}
        isFixed={isFixed}
        report={report}
        onChange={onChange}
      />
      <p className={isMissed ? styles.missed : styles.hint}>
        {isMissed ? 'Paste the body of a request first, or insert the example.' : hint}
      </p>
    </div>
  );
}

/** Only spaces and line breaks change; numbers and texts stay as they are written. */
function indent(text: string, editor: JsonEditorHandle | null): void {
  const checked = checkRequestText(text);
  if (checked.kind === 'wrong') editor?.goTo(checked.problem.from);
  else editor?.replaceText(applyEdits(text, format(text, undefined, { insertSpaces: true, tabSize: 2 })));
}
