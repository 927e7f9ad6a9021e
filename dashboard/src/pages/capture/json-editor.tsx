/**
 * The JSON editor, a wrapper around CodeMirror.
 *
 * The text lives in the editor, which handles megabytes; React observes every change but never
 * sets the text through a prop. The editor is created once on mount and destroyed on unmount. Later
 * props reach its callbacks through `latest`, since recreating it would lose cursor and undo
 * history.
 */

import { type Diagnostic, setDiagnostics } from '@codemirror/lint';
import { EditorState, Transaction } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { type Ref, useEffect, useImperativeHandle, useRef } from 'react';
import styles from './capture.module.css';
import type { TextProblem } from './check-request.ts';
import { editorExtensions } from './editor-extensions.ts';

export interface JsonEditorHandle {
  /** Moves the cursor there and scrolls it into view. */
  goTo(offset: number): void;
  /** Replaces everything as one undoable edit. */
  replaceText(text: string): void;
}

/** Ranges to underline. */
interface Marks {
  readonly problems: readonly TextProblem[];
  readonly warnings: readonly TextProblem[];
}

interface JsonEditorProps {
  readonly label: string;
  /** Announced after the label. */
  readonly hint: string;
  readonly startText: string;
  /** Ignores edits, while a save is in flight. */
  readonly isReadOnly: boolean;
  readonly report: Marks;
  readonly onChange: (text: string) => void;
  readonly ref: Ref<JsonEditorHandle>;
}

export function JsonEditor({ label, hint, startText, isReadOnly, report, onChange, ref }: JsonEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const latest = useRef({ label, hint, startText, isReadOnly, report, onChange });
  latest.current = { label, hint, startText, isReadOnly, report, onChange };

  useEffect(() => {
    if (host.current === null) return;
    const editor = openEditor(host.current, latest);
    // One frame later the editor has been measured.
    const frame = requestAnimationFrame(() => insertLongText(editor, latest.current));
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

type EditorProps = Omit<JsonEditorProps, 'ref'>;

/**
 * CodeMirror injects its own styles. In a shadow root it uses constructed style sheets; in the
 * document it would add a style element, which the content security policy blocks.
 */
function openEditor(host: HTMLElement, latest: { readonly current: EditorProps }): EditorView {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open', delegatesFocus: true });
  const hint = document.createElement('p');
  hint.id = 'hint';
  hint.hidden = true;
  hint.textContent = latest.current.hint;
  root.replaceChildren(hint);
  return new EditorView({
    root,
    parent: root,
    doc: isLong(latest.current.startText) ? '' : latest.current.startText,
    extensions: [
      EditorView.contentAttributes.of({
        'aria-label': latest.current.label,
        'aria-describedby': hint.id,
        // Explicit, since some tools do not recognize a contenteditable element as focusable.
        tabindex: '0',
      }),
      EditorView.updateListener.of(({ docChanged, state }) => {
        if (docChanged) latest.current.onChange(state.doc.toString());
      }),
      EditorState.changeFilter.of(() => !latest.current.isReadOnly),
      ...editorExtensions,
    ],
  });
}

/**
 * Inserts a long text after the first layout. An initial line of megabytes would be laid out whole,
 * which takes seconds; once measured, the editor renders only the visible part.
 */
function insertLongText(editor: EditorView, { startText, report }: EditorProps): void {
  if (!isLong(startText)) return;
  editor.dispatch({
    changes: { from: 0, insert: startText },
    annotations: Transaction.addToHistory.of(false),
  });
  editor.dispatch(setDiagnostics(editor.state, diagnosticsOf(editor, report)));
}

/** From about this length on, the first layout of a single line is noticeably slow. */
function isLong(text: string): boolean {
  return text.length > 100_000;
}

/**
 * Converts problems to editor diagnostics. They may stem from an earlier, longer text, so clamp
 * them.
 */
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
