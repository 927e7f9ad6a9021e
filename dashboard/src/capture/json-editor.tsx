import { type Diagnostic, setDiagnostics } from '@codemirror/lint';
import { EditorState, Transaction } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { type Ref, useEffect, useImperativeHandle, useRef } from 'react';
import type { TextProblem } from './check-request-text.ts';
import { editorExtensions } from './editor-extensions.ts';
import styles from './json-editor.module.css';

export interface JsonEditorHandle {
  /** Puts the cursor there, and lets it be seen. */
  goTo(offset: number): void;
  /** As if it had been typed, so that it can be undone. */
  replaceText(text: string): void;
}

/** What is marked in the text. */
interface Marks {
  readonly problems: readonly TextProblem[];
  readonly warnings: readonly TextProblem[];
}

interface JsonEditorProps {
  readonly label: string;
  /** Read after the label. */
  readonly hint: string;
  readonly startText: string;
  /** It cannot be changed now. */
  readonly isFixed: boolean;
  readonly report: Marks;
  readonly onChange: (text: string) => void;
  readonly ref: Ref<JsonEditorHandle>;
}

/** The text lives in the editor, which holds megabytes of it with ease; the page is told of every change. */
export function JsonEditor({ label, hint, startText, isFixed, report, onChange, ref }: JsonEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const given = useRef({ label, hint, startText, isFixed, report, onChange });
  given.current = { label, hint, startText, isFixed, report, onChange };

  useEffect(() => {
    if (host.current === null) return;
    const editor = openEditor(host.current, given);
    const frame = requestAnimationFrame(() => fill(editor, given.current));
    view.current = editor;
    return () => {
      cancelAnimationFrame(frame);
      editor.destroy();
    };
  }, []);
  useEffect(() => {
    const editor = view.current;
    if (editor !== undefined) editor.dispatch(setDiagnostics(editor.state, diagnosticsOf(editor, report)));
  }, [report]);
  useImperativeHandle(ref, () => ({
    goTo(offset) {
      const anchor = Math.min(offset, view.current?.state.doc.length ?? 0);
      view.current?.focus();
      view.current?.dispatch({
        selection: { anchor },
        effects: EditorView.scrollIntoView(anchor, { y: 'center' }),
      });
    },
    replaceText(text) {
      const to = view.current?.state.doc.length ?? 0;
      view.current?.dispatch({ changes: { from: 0, to, insert: text }, userEvent: 'input.paste' });
      view.current?.focus();
    },
  }));
  return <div ref={host} className={styles.editor} />;
}

type Given = Pick<JsonEditorProps, 'label' | 'hint' | 'startText' | 'isFixed' | 'report' | 'onChange'>;

/**
 * The editor brings its styles along. In a shadow root they are made by script; in the page itself they would be a style
 * element, which the policy of the page forbids.
 */
function openEditor(host: HTMLElement, given: { readonly current: Given }): EditorView {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open', delegatesFocus: true });
  const hint = document.createElement('p');
  hint.id = 'hint';
  hint.hidden = true;
  hint.textContent = given.current.hint;
  root.replaceChildren(hint);
  return new EditorView({
    root,
    parent: root,
    doc: isLong(given.current.startText) ? '' : given.current.startText,
    extensions: [
      EditorView.contentAttributes.of({
        'aria-label': given.current.label,
        'aria-describedby': hint.id,
        // Said, since not everybody knows that what can be edited can be reached.
        tabindex: '0',
      }),
      EditorView.updateListener.of(({ docChanged, state }) => {
        if (docChanged) given.current.onChange(state.doc.toString());
      }),
      EditorState.changeFilter.of(() => !given.current.isFixed),
      ...editorExtensions,
    ],
  });
}

/**
 * A line of megabytes that is there from the start would be laid out whole, which takes seconds. Once the editor has been
 * measured it knows to show only a part of it.
 */
function fill(editor: EditorView, { startText, report }: Given): void {
  if (!isLong(startText)) return;
  editor.dispatch({
    changes: { from: 0, insert: startText },
    annotations: Transaction.addToHistory.of(false),
  });
  editor.dispatch(setDiagnostics(editor.state, diagnosticsOf(editor, report)));
}

function isLong(text: string): boolean {
  return text.length > 100_000;
}

/** They were found a moment ago, when the text may have been longer. */
function diagnosticsOf({ state }: EditorView, { problems, warnings }: Marks): readonly Diagnostic[] {
  const end = state.doc.length;
  const marked =
    (severity: Diagnostic['severity']) =>
    ({ from, to, message }: TextProblem) => ({
      from: Math.min(from, end),
      to: Math.min(to, end),
      severity,
      message,
    });
  return [...problems.map(marked('error')), ...warnings.map(marked('warning'))];
}
