import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { jsonLanguage } from '@codemirror/lang-json';
import { bracketMatching, indentOnInput, indentUnit } from '@codemirror/language';
import { lintGutter, nextDiagnostic } from '@codemirror/lint';
import type { Extension } from '@codemirror/state';
import {
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
  placeholder,
} from '@codemirror/view';
import { editorTheme } from './editor-theme.ts';
import { highlight } from './highlight.ts';

/** By the node names of the JSON grammar. Strings and punctuation keep the text color. */
const jsonHighlighting = highlight({
  PropertyName: 'json-name',
  Number: 'json-literal',
  True: 'json-literal',
  False: 'json-literal',
  Null: 'json-literal',
});

/**
 * Tab keeps moving the focus, so that keyboard users can leave the editor; new lines are indented
 * automatically.
 */
export const jsonExtensions: readonly Extension[] = [
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
  placeholder('Paste a working request body or curl command: { "model": …, "messages": … }'),
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
