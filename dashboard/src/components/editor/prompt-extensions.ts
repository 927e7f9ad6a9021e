import { autocompletion, type CompletionContext, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { defineLanguageFacet, Language } from '@codemirror/language';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  keymap,
  MatchDecorator,
  placeholder,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';
import { GFM, parser } from '@lezer/markdown';
import { editorTheme } from './editor-theme.ts';
import { highlight } from './highlight.ts';

/** Without the support for HTML of CodeMirror's own package, which is ten times as large. */
const markdown = new Language(defineLanguageFacet(), parser.configure(GFM), [], 'markdown');

/** By the node names of the Markdown grammar. Prompts often have tags, which it takes for HTML. */
const markdownHighlighting = highlight({
  ATXHeading1: 'md-heading',
  ATXHeading2: 'md-heading',
  ATXHeading3: 'md-heading',
  ATXHeading4: 'md-heading',
  SetextHeading1: 'md-heading',
  SetextHeading2: 'md-heading',
  StrongEmphasis: 'md-strong',
  Emphasis: 'md-emphasis',
  InlineCode: 'md-code',
  CodeText: 'md-code',
  ListMark: 'md-mark',
  QuoteMark: 'md-mark',
  HorizontalRule: 'md-mark',
  URL: 'md-link',
  HTMLTag: 'md-tag',
  HTMLBlock: 'md-tag',
});

/** CodeMirror's own are lower-case and name no purpose. */
const searchPhrases = EditorState.phrases.of({
  next: 'Next',
  previous: 'Previous',
  all: 'Select all',
  'match case': 'Match case',
  regexp: 'Regular expression',
  'by word': 'Whole words',
  replace: 'Replace',
  'replace all': 'Replace all',
  close: 'Close search',
});

/** For prose, such as a few-shot message. Tab moves the focus, as in every other field. */
export const textExtensions: readonly Extension[] = [
  history(),
  EditorView.lineWrapping,
  markdown.extension,
  markdownHighlighting,
  editorTheme,
  keymap.of([
    // Closing a list of suggestions comes before everything else that Escape does.
    ...completionKeymap,
    ...defaultKeymap.filter(({ key }) => key !== 'Mod-Enter'),
    ...historyKeymap,
  ]),
];

export const promptExtensions: readonly Extension[] = [
  ...textExtensions,
  search({ top: true }),
  searchPhrases,
  highlightSelectionMatches({ wholeWords: true }),
  placeholder('You are …'),
  keymap.of(searchKeymap),
];

/**
 * Marks `{{variables}}` and completes their names. A name that is not declared is marked as such,
 * and so are all of them while nothing is declared: braces have no meaning then.
 */
export function templateExtensions(names: readonly string[]): Extension {
  return [
    variableMarks(new Set(names)),
    autocompletion({ override: [completeVariable(names)], icons: false }),
  ];
}

/** Two or three braces around a name, or around a tag such as `#each items`. */
const tagPattern = /\{\{\{?\s*([#/^&!]?)\s*([\w.-]*)[^{}]*\}\}\}?/g;

function variableMarks(names: ReadonlySet<string>): Extension {
  const known = Decoration.mark({ class: 'variable' });
  const unknown = Decoration.mark({
    class: 'variable-unknown',
    attributes: { title: 'Not declared. Add it under Variables, or calls send these braces as they are.' },
  });
  const decorator = new MatchDecorator({
    regexp: tagPattern,
    decoration: ([, sigil = '', name = '']) => {
      const [first = ''] = name.split('.');
      // Inside a section, names refer to the items of a list.
      return names.has(first) || sigil !== '' || (names.size > 0 && name === '.') ? known : unknown;
    },
  });
  return ViewPlugin.fromClass(
    class {
      marks: DecorationSet;

      constructor(view: EditorView) {
        this.marks = decorator.createDeco(view);
      }

      update(update: ViewUpdate): void {
        this.marks = decorator.updateDeco(update, this.marks);
      }
    },
    { decorations: (plugin) => plugin.marks },
  );
}

function completeVariable(names: readonly string[]) {
  return (context: CompletionContext) => {
    const typed = context.matchBefore(/\{\{[#/^&]?[\w.-]*/);
    if (typed === null) return null;
    const from = typed.from + (/^\{\{[#/^&]?/.exec(typed.text)?.[0].length ?? 2);
    // The editor does not close braces by itself.
    const isClosed = context.state.sliceDoc(context.pos, context.pos + 2) === '}}';
    return {
      from,
      options: names.map((name) => ({ label: name, apply: isClosed ? name : `${name}}}` })),
      validFor: /^[\w.-]*$/,
    };
  };
}
