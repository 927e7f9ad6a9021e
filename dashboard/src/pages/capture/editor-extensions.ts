import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { jsonLanguage } from '@codemirror/lang-json';
import { bracketMatching, indentOnInput, indentUnit, syntaxTree } from '@codemirror/language';
import { lintGutter, nextDiagnostic } from '@codemirror/lint';
import { type Extension, RangeSetBuilder } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
  placeholder,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';

/**
 * Highlights the visible part of the text, using the syntax tree that the editor maintains anyway.
 */
const jsonHighlighting = ViewPlugin.fromClass(
  class {
    marks: DecorationSet;

    constructor(view: EditorView) {
      this.marks = visibleMarks(view);
    }

    update({ view, docChanged, viewportChanged, startState, state }: ViewUpdate): void {
      const isParsedFurther = syntaxTree(startState) !== syntaxTree(state);
      if (docChanged || viewportChanged || isParsedFurther) this.marks = visibleMarks(view);
    }
  },
  { decorations: ({ marks }) => marks },
);

/** By the node names of the JSON grammar. Strings and punctuation keep the text color. */
const markOf: Readonly<Record<string, Decoration>> = {
  PropertyName: Decoration.mark({ class: 'json-name' }),
  Number: Decoration.mark({ class: 'json-literal' }),
  True: Decoration.mark({ class: 'json-literal' }),
  False: Decoration.mark({ class: 'json-literal' }),
  Null: Decoration.mark({ class: 'json-literal' }),
};

/** Decorates only the viewport: a request may have a hundred thousand lines. */
function visibleMarks(view: EditorView): DecorationSet {
  const marks = new RangeSetBuilder<Decoration>();
  for (const { from, to } of view.visibleRanges)
    syntaxTree(view.state).iterate({
      from,
      to,
      enter: (node) => {
        const mark = Object.hasOwn(markOf, node.name) ? markOf[node.name] : undefined;
        if (mark !== undefined) marks.add(node.from, node.to, mark);
      },
    });
  return marks.finish();
}

/**
 * The page's colors, which reach into the shadow root as custom properties and follow the color
 * scheme. CodeMirror draws its markers as data: images, which the content security policy blocks,
 * so they are redrawn with gradients and text decorations.
 */
const editorTheme = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', backgroundColor: 'var(--surface)', fontSize: '0.78rem' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
  // Same as `.scrollbar` in base.css, which does not apply inside the shadow root.
  '.cm-scroller::-webkit-scrollbar': { width: '10px', height: '10px' },
  '.cm-scroller::-webkit-scrollbar-thumb': {
    border: '2px solid transparent',
    borderRadius: '999px',
    background: 'var(--border-strong) content-box',
  },
  '.cm-content': { padding: '8px 0', caretColor: 'var(--text)' },
  '.cm-line': { padding: '0 10px 0 6px', overflowWrap: 'anywhere' },
  '.cm-placeholder': { color: 'var(--text-muted)' },
  '.cm-gutters': {
    color: 'var(--text-muted)',
    backgroundColor: 'var(--sunken)',
    borderRight: '1px solid var(--border)',
  },
  '.cm-activeLine': { backgroundColor: 'transparent' },
  '.cm-activeLineGutter': { color: 'var(--text)', backgroundColor: 'var(--hover)' },
  '&.cm-focused .cm-matchingBracket': { color: 'var(--link)', backgroundColor: 'var(--accent-soft)' },
  '&.cm-focused .cm-nonmatchingBracket': { color: 'var(--danger)', backgroundColor: 'var(--danger-soft)' },
  '.json-name': { color: 'var(--link)' },
  '.json-literal': { color: 'var(--warning)' },
  '.cm-gutter-lint': { width: '14px' },
  '.cm-gutter-lint .cm-gutterElement': { padding: '0' },
  '.cm-lint-marker': { width: '14px', height: '100%' },
  '.cm-lint-marker-error': {
    content: 'normal',
    backgroundImage: 'radial-gradient(circle at 7px 0.78em, var(--danger) 3.5px, transparent 4px)',
  },
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy 1px var(--danger)' },
  '.cm-lintPoint-error:after': { borderBottomColor: 'var(--danger)' },
  '.cm-lint-marker-warning': {
    content: 'normal',
    backgroundImage: 'linear-gradient(var(--warning), var(--warning))',
    // A triangle, so that it differs from an error not only in color.
    clipPath: 'polygon(7px calc(0.78em - 4px), 11.5px calc(0.78em + 4px), 2.5px calc(0.78em + 4px))',
  },
  '.cm-lintRange-warning': { backgroundImage: 'none', textDecoration: 'underline wavy 1px var(--warning)' },
  '.cm-lintPoint-warning:after': { borderBottomColor: 'var(--warning)' },
  '.cm-tooltip': {
    maxWidth: 'min(420px, calc(100vw - 48px))',
    color: 'var(--text)',
    backgroundColor: 'var(--raised)',
    border: '1px solid var(--border-strong)',
    borderRadius: 'var(--radius)',
    boxShadow: 'var(--shadow)',
    fontFamily: 'var(--font)',
    overflow: 'hidden',
  },
  '.cm-diagnostic': { padding: '6px 10px', whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' },
  '.cm-diagnostic-error': { borderLeft: '3px solid var(--danger)' },
  '.cm-diagnostic-warning': { borderLeft: '3px solid var(--warning)' },
});

/**
 * Tab keeps moving the focus, so that keyboard users can leave the editor; new lines are indented
 * automatically.
 */
export const editorExtensions: readonly Extension[] = [
  lineNumbers(),
  lintGutter(),
  history(),
  highlightActiveLine(),
  highlightActiveLineGutter(),
  bracketMatching(),
  indentOnInput(),
  indentUnit.of('  '),
  EditorView.lineWrapping,
  // Long lines wrap: prompts are single lines in JSON.
  placeholder('Paste a working request body: { "model": …, "messages": … }'),
  jsonLanguage.extension,
  jsonHighlighting,
  editorTheme,
  keymap.of([
    // The form around the editor submits on Ctrl+Enter and ⌘+Enter.
    ...defaultKeymap.filter(({ key }) => key !== 'Mod-Enter'),
    { key: 'F8', run: nextDiagnostic },
    ...historyKeymap,
  ]),
];
