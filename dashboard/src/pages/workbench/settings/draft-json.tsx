import { applyEdits, format } from 'jsonc-parser';
import { useEffect, useRef, useState } from 'react';
import type { Dialect } from '../../../../../src/core/presets/preset.ts';
import { typicalDialect } from '../../../../../src/dialects/recognize-dialect.ts';
import { dialectNames, dialectOptions } from '../../../api/dialects.ts';
import { Button } from '../../../components/button.tsx';
import { jsonExtensions } from '../../../components/editor/json-extensions.ts';
import { type EditorHandle, TextEditor } from '../../../components/editor/text-editor.tsx';
import { SelectField } from '../../../components/fields.tsx';
import { useStore } from '../../../components/store.ts';
import { useToast } from '../../../components/toasts.tsx';
import { checkRequestText } from '../../../features/request/check-request.ts';
import { requestEditors } from '../../../features/request/pasted-request.ts';
import { useOfferUndo } from '../shown-draft.ts';
import styles from '../workbench.module.css';
import { useCheck, useDraft, useIncompleteField, useWorkbench } from '../workbench.ts';
import { convertRequest } from './convert-request.ts';
import { ProblemList } from './problem-list.tsx';

/** The whole draft as JSON, in any format. */
export function DraftJson() {
  const { canEdit, draft, replaceText, revealed } = useWorkbench();
  const text = useDraft((draft) => draft.text);
  const { report } = useCheck();
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
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (box.current === null) return;
    const { current } = box;
    requestEditors.set(current, () => {
      const { from, to } = editor.current?.selection() ?? { from: 0, to: 0 };
      return from === 0 && to === draft.get().text.length;
    });
    return () => void requestEditors.delete(current);
  }, [draft]);
  return (
    <div className={styles.requestEditor}>
      <Format onPrettify={() => prettify(draft.get().text, editor.current)} />
      <div ref={box} className={styles.fill}>
        <TextEditor
          ref={editor}
          label="Request"
          hint="Tab leaves the editor, F8 goes to the next problem or warning."
          text={text}
          extensions={jsonExtensions}
          isReadOnly={!canEdit}
          marks={report}
          onChange={(next) => replaceText(next)}
        />
      </div>
      {/* Below the editor: it comes and goes while the user types. */}
      <ProblemList report={report} onGoTo={(offset) => editor.current?.goTo(offset)} />
    </div>
  );
}

/** Changes only whitespace. Parsing and serializing instead could change numbers and escapes. */
function prettify(text: string, editor: EditorHandle | null): void {
  const checked = checkRequestText(text);
  if (checked.kind === 'invalid') editor?.goTo(checked.problem.from);
  else editor?.replaceText(applyEdits(text, format(text, undefined, { insertSpaces: true, tabSize: 2 })));
}

/** Converts the request to another format, or names the one that it already has. */
function Format({ onPrettify }: { readonly onPrettify: () => void }) {
  const { canEdit, base, draft, dialect, replaceText } = useWorkbench();
  const offerUndo = useOfferUndo();
  const showToast = useToast();
  const incomplete = useIncompleteField();
  const typical = useDraft(({ body }) => body && typicalDialect(body));
  const [chosen, setChosen] = useState<Dialect>();
  const target = chosen ?? dialect;
  const before = () => ({ text: draft.get().text, dialect, from: base });
  const use = (to: Dialect) => {
    const replaced = before();
    replaceText(replaced.text, to);
    offerUndo(`Read as ${dialectNames[to]}`, replaced);
  };
  const convert = () => {
    const { body } = draft.get();
    if (incomplete !== undefined) return showToast(`Cannot convert: ${incomplete.label} is incomplete`);
    if (body === undefined) return use(target);
    try {
      const { text, dropped } = convertRequest(body, dialect, target);
      const replaced = before();
      replaceText(text, target);
      const loss = dropped.length === 0 ? '' : `, without ${dropped.join(', ')}`;
      offerUndo(`Converted to ${dialectNames[target]}${loss}`, replaced);
      setChosen(undefined);
    } catch {
      showToast('This request refers to data stored at a provider, which other formats cannot express');
    }
  };
  return (
    <div className={styles.row}>
      <div className={styles.grow}>
        <SelectField
          label="Format"
          value={target}
          options={dialectOptions}
          isDisabled={!canEdit}
          onChange={setChosen}
        />
      </div>
      {/* Beside the field: a notice would move the editor while somebody types in it. */}
      {canEdit && target !== dialect && <Button onClick={convert}>Convert</Button>}
      {canEdit && target === dialect && typical !== undefined && typical !== dialect && (
        <Button onClick={() => use(typical)}>Read as {dialectNames[typical]}</Button>
      )}
      {canEdit && <Button onClick={onPrettify}>Prettify</Button>}
    </div>
  );
}
