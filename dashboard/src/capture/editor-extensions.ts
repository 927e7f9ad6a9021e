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
import { jsonColors } from './json-colors.ts';

/** Tab is left alone, so that whoever came by keyboard gets out again; new lines are indented by themselves. */
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
  placeholder('Paste the body of a request that works: { "model": …, "messages": … }'),
  jsonLanguage.extension,
  jsonColors,
  editorTheme,
  keymap.of([
    // What these keys do is the business of the form around the editor.
    ...defaultKeymap.filter(({ key }) => key !== 'Mod-Enter'),
    { key: 'F8', run: nextDiagnostic },
    ...historyKeymap,
  ]),
];
