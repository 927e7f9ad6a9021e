import { EditorView } from '@codemirror/view';

/**
 * The page's colors, which reach into the shadow root as custom properties and follow the color
 * scheme. CodeMirror draws its markers as data: images, which the content security policy blocks,
 * so they are redrawn with gradients and text decorations.
 */
export const editorTheme = EditorView.theme({
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
  '.cm-content': {
    padding: '8px 0',
    caretColor: 'var(--text)',
    // Ligatures would show characters that are not in the text.
    fontVariantLigatures: 'none',
    fontFeatureSettings: '"calt" 0',
  },
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
  '.md-heading': { fontWeight: '650' },
  '.md-strong': { fontWeight: '650' },
  '.md-emphasis': { fontStyle: 'italic' },
  '.md-code': { backgroundColor: 'var(--sunken)', borderRadius: '3px' },
  '.md-mark, .md-tag': { color: 'var(--text-muted)' },
  '.md-link': { color: 'var(--link)' },
  '.variable': {
    color: 'var(--link)',
    backgroundColor: 'var(--accent-soft)',
    borderRadius: '3px',
    fontStyle: 'normal',
    fontWeight: '550',
  },
  '.variable-unknown': { textDecoration: 'underline dotted 1px var(--warning)', textUnderlineOffset: '3px' },
  '.cm-panels': { color: 'var(--text)', backgroundColor: 'var(--sunken)', border: 'none' },
  '.cm-panels.cm-panels-top': { borderBottom: '1px solid var(--border)' },
  '.cm-search': { fontFamily: 'var(--font)' },
  '.cm-textfield, .cm-button': {
    color: 'var(--text)',
    backgroundColor: 'var(--surface)',
    backgroundImage: 'none',
    border: '1px solid var(--border-strong)',
    borderRadius: 'var(--radius)',
    fontSize: '0.75rem',
  },
  '.cm-searchMatch': { backgroundColor: 'var(--warning-soft)' },
  '.cm-searchMatch-selected': { outline: '1px solid var(--warning)' },
  '.cm-selectionMatch': { backgroundColor: 'var(--hover)' },
  '.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', fontSize: '0.75rem' },
  '.cm-tooltip-autocomplete > ul > li': { padding: '4px 10px' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    color: 'var(--on-accent)',
    backgroundColor: 'var(--accent)',
  },
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
