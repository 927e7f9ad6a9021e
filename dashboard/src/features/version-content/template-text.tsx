import styles from './extension.module.css';

/** A template with its tags marked. */
export function TemplateText({ text }: { readonly text: string }) {
  return templateParts(text).map(({ text, isTag }, index) =>
    isTag ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never move
      <span key={index} className={styles.tag}>
        {text}
      </span>
    ) : (
      text
    ),
  );
}

interface TemplatePart {
  readonly text: string;
  readonly isTag: boolean;
}

/** Thousands of elements would slow down the page. */
const partsMax = 1_000;

/** Splits a text at its tags, such as `{{customer}}`. Beyond the limit, the rest stays text. */
export function templateParts(text: string): readonly TemplatePart[] {
  const parts: TemplatePart[] = [];
  let end = 0;
  for (const { 0: tag, index } of text.matchAll(/\{\{[^{}]*\}\}|\{\{\{[^{}]*\}\}\}/g)) {
    if (parts.length >= partsMax) break;
    if (index > end) parts.push({ text: text.slice(end, index), isTag: false });
    parts.push({ text: tag, isTag: true });
    end = index + tag.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end), isTag: false });
  return parts;
}
