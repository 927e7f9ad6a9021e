/**
 * A wrapper around CodeMirror.
 *
 * The editor owns its text, which may be megabytes, and reports every change. A new `text` prop
 * that differs from it, such as after an edit in a form, is merged into the editor as the smallest
 * change, so that cursor and undo history survive. The editor is created once on mount and
 * destroyed on unmount. Later props reach its callbacks through `latest`: recreating it would lose
 * state.
 */

import { type Diagnostic, setDiagnostics } from '@codemirror/lint';
import { Annotation, Compartment, EditorState, type Extension, Transaction } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { type Ref, useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react';
import styles from './editor.module.css';

export interface EditorHandle {
  /** Moves the cursor there and scrolls it into view. */
  goTo(offset: number): void;
  /** Replaces everything as one undoable edit. */
  replaceText(text: string): void;
  focus(): void;
  /** The selected range, which may be empty. */
  selection(): { readonly from: number; readonly to: number };
}

/** A problem and the range of the text that it marks. */
interface TextMark {
  readonly from: number;
  readonly to: number;
  readonly message: string;
}

/** Ranges to underline. */
interface Marks {
  readonly problems: readonly TextMark[];
  readonly warnings: readonly TextMark[];
}

interface TextEditorProps {
  readonly label: string;
  /** Announced after the label. */
  readonly hint: string;
  readonly text: string;
  /** Language, highlighting, keys. Read once. */
  readonly extensions: readonly Extension[];
  /** Extensions that depend on the page, such as the names to complete. Must be memoized. */
  readonly changingExtensions?: Extension;
  /** Ignores edits, such as while a save is in flight. */
  readonly isReadOnly?: boolean;
  /** Focuses the editor when it appears. */
  readonly focusOnMount?: boolean;
  readonly marks?: Marks;
  readonly onChange: (text: string) => void;
  readonly ref?: Ref<EditorHandle>;
}

const noMarks: Marks = { problems: [], warnings: [] };

export function TextEditor({ ref, ...props }: TextEditorProps) {
  const { text, marks = noMarks } = props;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const [changing] = useState(() => new Compartment());
  const latest = useRef<EditorProps>(props);
  latest.current = props;
  /** A long text is inserted one frame after the editor has opened. */
  const isPending = useRef(isLong(text));

  useEffect(() => {
    if (host.current === null) return;
    const editor = openEditor(host.current, changing, latest);
    // One frame later the editor has been measured.
    const frame = requestAnimationFrame(() => {
      if (isPending.current) insertLongText(editor, latest.current);
      isPending.current = false;
    });
    view.current = editor;
    if (latest.current.focusOnMount) editor.focus();
    return () => {
      cancelAnimationFrame(frame);
      editor.destroy();
    };
  }, [changing]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: any update also writes `aria-readonly`
  useEffect(() => {
    view.current?.dispatch({ effects: changing.reconfigure(props.changingExtensions ?? []) });
  }, [changing, props.changingExtensions, props.isReadOnly]);
  // Before anything else can be typed, which would be lost; and before the marks, whose positions
  // refer to this text.
  useLayoutEffect(() => {
    if (view.current !== undefined && !isPending.current) adoptText(view.current, text);
  }, [text]);
  useEffect(() => {
    const editor = view.current;
    if (editor !== undefined) editor.dispatch(setDiagnostics(editor.state, diagnosticsOf(editor, marks)));
  }, [marks]);
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
    focus() {
      view.current?.focus();
    },
    selection() {
      const { from = 0, to = 0 } = view.current?.state.selection.main ?? {};
      return { from, to };
    },
  }));
  return <div ref={host} className={styles.editor} />;
}

type EditorProps = Omit<TextEditorProps, 'ref'>;

/** Marks a change that comes from a prop and must not be reported back. */
const isAdopted = Annotation.define<boolean>();

/**
 * CodeMirror injects its own styles. In a shadow root it uses constructed style sheets; in the
 * document it would add a style element, which the content security policy blocks.
 */
function openEditor(
  host: HTMLElement,
  changing: Compartment,
  latest: { readonly current: EditorProps },
): EditorView {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open', delegatesFocus: true });
  const hint = document.createElement('p');
  hint.id = 'hint';
  hint.hidden = true;
  hint.textContent = latest.current.hint;
  root.replaceChildren(hint);
  return new EditorView({
    root,
    parent: root,
    doc: isLong(latest.current.text) ? '' : latest.current.text,
    extensions: [
      // A function, because the editor may become read-only later.
      EditorView.contentAttributes.of(() => ({
        'aria-label': latest.current.label,
        'aria-describedby': hint.id,
        'aria-readonly': String(latest.current.isReadOnly === true),
        // Explicit, since some tools do not recognize a contenteditable element as focusable.
        tabindex: '0',
      })),
      EditorView.updateListener.of(({ docChanged, state, transactions }) => {
        if (docChanged && !transactions.some((transaction) => transaction.annotation(isAdopted)))
          latest.current.onChange(state.doc.toString());
      }),
      EditorState.changeFilter.of(
        (transaction) => transaction.annotation(isAdopted) === true || !latest.current.isReadOnly,
      ),
      changing.of(latest.current.changingExtensions ?? []),
      ...latest.current.extensions,
    ],
  });
}

/** Replaces the part in which the texts differ. The editor has no carriage returns. */
function adoptText(editor: EditorView, newText: string): void {
  const before = editor.state.doc.toString();
  const text = newText.replaceAll(/\r\n?/g, '\n');
  if (before === text) return;
  const shorter = Math.min(before.length, text.length);
  let start = 0;
  while (start < shorter && before[start] === text[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === text.at(-1 - end)) end += 1;
  editor.dispatch({
    changes: { from: start, to: before.length - end, insert: text.slice(start, text.length - end) },
    annotations: isAdopted.of(true),
  });
}

/**
 * Inserts a long text after the first layout. An initial line of megabytes would be laid out whole,
 * which takes seconds; once measured, the editor renders only the visible part.
 */
function insertLongText(editor: EditorView, { text, marks = noMarks }: EditorProps): void {
  editor.dispatch({
    changes: { from: 0, to: editor.state.doc.length, insert: text },
    annotations: [Transaction.addToHistory.of(false), isAdopted.of(true)],
  });
  editor.dispatch(setDiagnostics(editor.state, diagnosticsOf(editor, marks)));
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
    ({ from, to, message }: TextMark) => ({
      from: Math.min(from, end),
      to: Math.min(to, end),
      severity,
      message,
    });
  return [...problems.map(marked('error')), ...warnings.map(marked('warning'))];
}
