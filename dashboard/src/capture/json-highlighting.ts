import { syntaxTree } from '@codemirror/language';
import { RangeSetBuilder } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  type EditorView,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';

/**
 * Highlights the visible part of the text, using the syntax tree that the editor maintains anyway.
 */
export const jsonHighlighting = ViewPlugin.fromClass(
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
