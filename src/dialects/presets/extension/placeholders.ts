import { isVariableName } from './parse-template.ts';

/**
 * The names that a text has in braces, as `{{customer}}`, each once. Leaves out those in sections,
 * which may be names of its items. The text need not be a valid template.
 */
export function findPlaceholders(text: string): readonly string[] {
  const names = new Set<string>();
  let level = 0;
  for (const [, sigil, name = ''] of text.matchAll(tagExpression)) {
    if (sigil === undefined && level === 0) names.add(name);
    else if (sigil === '/') level = Math.max(0, level - 1);
    else if (sigil !== undefined) level += 1;
  }
  return [...names].filter(isVariableName);
}

/** Takes linear time: no two parts that repeat can match the same text. */
const tagExpression = /\{\{\s*(?:([#^/])\s*)?(\w+)\s*\}\}/g;
