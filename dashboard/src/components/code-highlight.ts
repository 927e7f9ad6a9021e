/**
 * Highlights code that is shown and not edited: requests, responses and the examples of clients.
 *
 * One regular expression per language finds the parts that get a color, which is enough for short
 * programs and a hundredth of the size of a parser. Pages that show code import this; `CodeBlock`
 * does not import this, to keep it out of the first page's bundle.
 */

export type Highlight = (code: string) => readonly CodePart[];

interface CodePart {
  readonly text: string;
  /** Undefined for the color of the text. */
  readonly kind: CodeKind | undefined;
}

const kinds = ['comment', 'name', 'string', 'literal', 'keyword'] as const;
type CodeKind = (typeof kinds)[number];

/** A longer text would take noticeable time to lay out in many parts. */
const charactersMax = 50_000;

const doubleQuoted = String.raw`"(?:[^"\\\n]|\\.)*"`;
const singleQuoted = String.raw`'(?:[^'\\\n]|\\.)*'`;
const number = String.raw`-?\b\d[\d.]*(?:[eE][+-]?\d+)?\b`;

export const highlightJson = highlighter({
  name: String.raw`${doubleQuoted}(?=\s*:)`,
  // Found, so that nothing inside counts as something else.
  string: doubleQuoted,
  literal: String.raw`${number}|\b(?:true|false|null)\b`,
});

/** A quoted body is JSON, whose parts are found as such. */
export const highlightShell = highlighter({
  comment: String.raw`(?<=^|\s)#.*`,
  name: `${doubleQuoted}(?=:)`,
  string: doubleQuoted,
  literal: String.raw`\$\w+|(?<=[\s[,])${number}|\b(?:true|false|null)\b`,
  keyword: String.raw`^(?:curl|presetd|npx)\b|(?<=\s)--?[a-zA-Z][\w-]*`,
});

export const highlightTypescript = highlighter({
  comment: String.raw`(?<=^|\s)\/\/.*`,
  string: `${singleQuoted}|${doubleQuoted}`,
  name: String.raw`\b\w+(?=:)`,
  literal: String.raw`${number}|\b(?:true|false|null|undefined)\b`,
  keyword: String.raw`\b(?:import|from|const|new|await|for|of|if|as|satisfies|type)\b`,
});

export const highlightPython = highlighter({
  comment: '#.*',
  string: `${doubleQuoted}|${singleQuoted}`,
  name: String.raw`\b\w+(?==[^=])`,
  literal: String.raw`${number}|\b(?:True|False|None)\b`,
  keyword: String.raw`\b(?:import|from|as|with|for|in|if|print)\b`,
});

/** Also TOML. */
export const highlightYaml = highlighter({
  comment: String.raw`(?<=^|\s)#.*`,
  string: `${doubleQuoted}|${singleQuoted}`,
  name: String.raw`[\w./-]+(?=:(?:\s|$)|\s*=\s)|^\[.*\]$`,
  literal: String.raw`${number}|\b(?:true|false|null)\b`,
});

function highlighter(patterns: Partial<Record<CodeKind, string>>): Highlight {
  const groups = Object.entries(patterns).map(([kind, pattern]) => `(?<${kind}>${pattern})`);
  const pattern = new RegExp(groups.join('|'), 'gm');
  return (code) => {
    if (code.length > charactersMax) return [{ text: code, kind: undefined }];
    const parts: CodePart[] = [];
    let end = 0;
    for (const { 0: text, index, groups: found = {} } of code.matchAll(pattern)) {
      if (index > end) parts.push({ text: code.slice(end, index), kind: undefined });
      parts.push({ text, kind: kinds.find((kind) => found[kind] !== undefined) });
      end = index + text.length;
    }
    if (end < code.length) parts.push({ text: code.slice(end), kind: undefined });
    return parts;
  };
}
