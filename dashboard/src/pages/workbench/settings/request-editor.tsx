import { useEffect, useRef } from 'react';
import type { Dialect } from '../../../../../src/core/presets/preset.ts';
import { typicalDialect } from '../../../../../src/dialects/recognize-dialect.ts';
import { dialectNames, dialectOptions } from '../../../api/dialects.ts';
import { Button } from '../../../components/button.tsx';
import { jsonExtensions } from '../../../components/editor/json-extensions.ts';
import { type EditorHandle, TextEditor } from '../../../components/editor/text-editor.tsx';
import { SelectField } from '../../../components/fields.tsx';
import { messageOf, Notice } from '../../../components/notice.tsx';
import { useToast } from '../../../components/toasts.tsx';
import { useOfferReturn } from '../shown-draft.ts';
import { useStore } from '../store.ts';
import styles from '../workbench.module.css';
import { useDraft, useReport, useWorkbench } from '../workbench.ts';
import { convertRequest } from './convert-request.ts';

/** The whole draft as JSON, in any format. */
export function RequestEditor() {
  const { canEdit, replaceText, revealed } = useWorkbench();
  const text = useDraft((draft) => draft.text);
  const report = useReport();
  const editor = useRef<EditorHandle>(null);
  const place = useStore(revealed, (current) => current);
  useEffect(() => {
    if (place === undefined) return;
    // A long text is in the editor one frame after it has opened.
    const frame = requestAnimationFrame(() => {
      editor.current?.goTo(place.offset);
      revealed.set(undefined);
    });
    return () => cancelAnimationFrame(frame);
  }, [place, revealed]);
  return (
    <div className={styles.requestEditor}>
      <Format />
      {/* A request that is pasted here replaces this one; see pasted-request.ts. */}
      <div className={styles.fill} data-imports-requests="">
        <TextEditor
          ref={editor}
          label="Request"
          hint="Tab leaves the editor, F8 goes to the next problem or warning."
          text={text}
          extensions={jsonExtensions}
          isReadOnly={!canEdit}
          marks={report}
          onChange={replaceText}
        />
      </div>
    </div>
  );
}

/** Converts the request to another format, or names the format that it already has. */
function Format() {
  const { canEdit, base, draft, dialect, replaceText } = useWorkbench();
  const offerReturn = useOfferReturn();
  const showToast = useToast();
  const typical = useDraft(({ body }) => body && typicalDialect(body));
  const change = (to: Dialect) => {
    const { text, body } = draft.get();
    const before = { text, dialect, from: base };
    if (body === undefined || typical === to) return replaceText(text, to);
    try {
      const { text: converted, dropped } = convertRequest(body, dialect, to);
      replaceText(converted, to);
      const lost = dropped.length === 0 ? '' : `, without ${dropped.join(', ')}`;
      offerReturn(`Converted to ${dialectNames[to]}${lost}`, before);
    } catch (error) {
      showToast(`Could not convert the request: ${messageOf(error)}`);
    }
  };
  return (
    <>
      <SelectField
        label="Format"
        value={dialect}
        options={dialectOptions}
        isDisabled={!canEdit}
        onChange={change}
      />
      {canEdit && typical !== undefined && typical !== dialect && (
        <Notice
          kind="warning"
          title={`This looks like a request for ${dialectNames[typical]}`}
          actions={
            <Button isSmall onClick={() => change(typical)}>
              Use this format
            </Button>
          }
        />
      )}
    </>
  );
}
