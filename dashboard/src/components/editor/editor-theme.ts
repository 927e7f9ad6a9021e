import { EditorView } from '@codemirror/view';

/**
 * The page's colors, which reach into the shadow root as custom properties and follow the color
 * scheme. CodeMirror draws its markers as data: images, which the content security policy blocks,
 * so they are redrawn with gradients.
 */
export const editorTheme = EditorView.theme({
  // A page may limit the height of an editor that grows with its text.
  '&': {
    height: '100%',
    maxHeight: 'var(--editor-height-max, none)',
    color: 'var(--text)',
    backgroundColor: 'var(--surface)',
    fontSize: '0.78rem',
  },
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
  '.variable-unknown': { borderBottom: '1px dotted var(--warning)' },
  '.cm-panels': { color: 'var(--text)', backgroundColor: 'var(--sunken)', border: 'none' },
  '.cm-panels.cm-panels-top': { borderBottom: '1px solid var(--border)' },
  '.cm-panel.cm-search': {
    padding: '8px 28px 8px 8px',
    fontFamily: 'var(--font)',
    '& input, & button, & label': { margin: '0 4px 4px 0', fontFamily: 'inherit' },
    '& label': { display: 'inline-flex', alignItems: 'center', gap: '4px', fontSize: '0.75rem' },
    '& label input': { margin: '0', accentColor: 'var(--accent)' },
    '& [name=close]': { top: '6px', right: '8px', padding: '0 4px', color: 'inherit', fontSize: '1rem' },
  },
  '.cm-textfield, .cm-button': {
    padding: '3px 8px',
    color: 'var(--text)',
    backgroundColor: 'var(--surface)',
    backgroundImage: 'none',
    border: '1px solid var(--border-strong)',
    borderRadius: 'var(--radius)',
    fontSize: '0.75rem',
  },
  '.cm-button': { fontWeight: '500', cursor: 'pointer' },
  '.cm-button:hover': { backgroundColor: 'var(--hover)' },
  '.cm-textfield:focus-visible, .cm-button:focus-visible': {
    outline: '2px solid var(--focus)',
    outlineOffset: '1px',
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
  '.cm-lintRange-error': wave('var(--danger)'),
  '.cm-lintPoint-error:after': { borderBottomColor: 'var(--danger)' },
  '.cm-lint-marker-warning': {
    content: 'normal',
    backgroundImage: 'linear-gradient(var(--warning), var(--warning))',
    // A triangle, so that it differs from an error not only in color.
    clipPath: 'polygon(7px calc(0.78em - 4px), 11.5px calc(0.78em + 4px), 2.5px calc(0.78em + 4px))',
  },
  '.cm-lintRange-warning': wave('var(--warning)'),
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
 * A wavy underline. It is no text decoration: Chromium would keep one for the text that replaces
 * the marked text, as an inline style, which the content security policy blocks.
 */
function wave(color: string) {
  const falling = `linear-gradient(45deg, transparent 45%, ${color} 45% 70%, transparent 70%)`;
  const rising = `linear-gradient(-45deg, transparent 45%, ${color} 45% 70%, transparent 70%)`;
  return { backgroundImage: `${falling}, ${rising}`, backgroundSize: '5px 3px' };
}
