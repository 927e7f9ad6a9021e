import { syntaxTree } from '@codemirror/language';
import { type Extension, RangeSetBuilder } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  type EditorView,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';

/**
 * Highlights the visible part of the text, using the syntax tree that the editor maintains anyway.
 * `classes` has a class for each node of the grammar that gets one. CodeMirror's own highlighter
 * would add style rules that differ from page to page.
 */
export function highlight(classes: Readonly<Record<string, string>>): Extension {
  const marks = new Map(
    Object.entries(classes).map(([name, value]) => [name, Decoration.mark({ class: value })]),
  );
  return ViewPlugin.fromClass(
    class {
      marks: DecorationSet;

      constructor(view: EditorView) {
        this.marks = visibleMarks(view, marks);
      }

      update({ view, docChanged, viewportChanged, startState, state }: ViewUpdate): void {
        const isParsedFurther = syntaxTree(startState) !== syntaxTree(state);
        if (docChanged || viewportChanged || isParsedFurther) this.marks = visibleMarks(view, marks);
      }
    },
    { decorations: (plugin) => plugin.marks },
  );
}

/** Decorates only the viewport: a text may have a hundred thousand lines. */
function visibleMarks(view: EditorView, markOf: ReadonlyMap<string, Decoration>): DecorationSet {
  const marks = new RangeSetBuilder<Decoration>();
  for (const { from, to } of view.visibleRanges)
    syntaxTree(view.state).iterate({
      from,
      to,
      enter: (node) => {
        const mark = markOf.get(node.name);
        if (mark !== undefined && node.from < node.to) marks.add(node.from, node.to, mark);
      },
    });
  return marks.finish();
}
