import {
  type Document,
  isCollection,
  isMap,
  isNode,
  isScalar,
  LineCounter,
  parseDocument,
  visit,
  type YAMLError,
} from 'yaml';

export type Path = readonly (string | number)[];

interface YamlIssue {
  readonly line: number;
  readonly message: string;
}

interface ParsedYaml {
  /** Undefined if there are issues. */
  readonly value: unknown;
  readonly issues: readonly YamlIssue[];
  /** The line of the key or item at a path, or of its closest existing parent. */
  lineOf(path: Path): number;
}

/** Parses YAML or JSON and keeps the position of every value. Never throws. */
export function parseYaml(text: string): ParsedYaml {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true });
  const lineAt = (offset: number) => Math.max(1, lines.linePos(offset).line);
  const lineOf = (path: Path) => lineAt(offsetOf(document, path));
  const errors = [...document.errors, ...document.warnings, ...unresolvedAliases(document)];
  if (errors.length > 0) {
    const issues = errors.map((error) => ({ line: lineAt(error.pos[0]), message: explain(error) }));
    return { value: undefined, issues: firstOfEachLine(issues), lineOf };
  }
  try {
    return { value: document.toJS(), issues: [], lineOf };
  } catch (error) {
    // The library refuses aliases of aliases that would expand to more than memory can hold.
    const message = `cannot be parsed: ${error instanceof Error ? error.message : error}`;
    return { value: undefined, issues: [{ line: 1, message }], lineOf };
  }
}

interface YamlProblem extends Pick<YAMLError, 'pos' | 'message'> {
  readonly code: YAMLError['code'];
}

/** The parser accepts these, and `toJS` throws without a position. */
function unresolvedAliases(document: Document.Parsed): readonly YamlProblem[] {
  const unresolved: YamlProblem[] = [];
  visit(document, {
    Alias(_key, alias) {
      if (alias.resolve(document) === undefined)
        unresolved.push({ code: 'BAD_ALIAS', message: '', pos: [alias.range?.[0] ?? 0, 0] });
    },
  });
  return unresolved;
}

/**
 * Messages for people who do not know YAML well. The library's own messages may also quote the
 * text, and with it a secret.
 */
const explanations: { readonly [Code in YAMLError['code']]?: string } = {
  BAD_ALIAS: 'text that begins with * must be quoted, such as "*"',
  BAD_SCALAR_START: 'text that begins with a special character such as @, ` or % must be quoted',
  BAD_INDENT: 'something is not closed or not indented far enough',
  BLOCK_AS_IMPLICIT_KEY: 'the line contains a second ": "; text that contains one must be quoted',
  DUPLICATE_KEY: 'duplicate key; remove one',
  MULTIPLE_DOCS: 'a second document begins here; the file must contain only one',
  TAB_AS_INDENT: 'the line is indented with a tab; use spaces',
  TAG_RESOLVE_FAILED: 'unknown tag; text that begins with ! must be quoted',
  UNEXPECTED_TOKEN: 'unexpected text; check the indentation of this line and the line before',
};

function explain({ code, message }: YamlProblem): string {
  return explanations[code] ?? `${message.charAt(0).toLowerCase()}${message.slice(1)}`;
}

/** One mistake often causes several errors in the same line. */
function firstOfEachLine(issues: readonly YamlIssue[]): readonly YamlIssue[] {
  const first = new Map<number, YamlIssue>();
  for (const issue of issues) if (!first.has(issue.line)) first.set(issue.line, issue);
  return [...first.values()].sort((one, other) => one.line - other.line);
}

/** Follows the part of a path that exists. Keys count as the position of their value. */
function offsetOf(document: Document.Parsed, path: Path): number {
  let node: unknown = document.contents;
  let offset = isNode(node) ? (node.range?.[0] ?? 0) : 0;
  for (const step of path) {
    if (!isCollection(node)) return offset;
    const pair = isMap(node) ? node.items.find(({ key }) => isScalar(key) && key.value === step) : undefined;
    node = pair === undefined ? node.get(step, true) : pair.value;
    const located = pair?.key ?? node;
    if (!isNode(located)) return offset;
    offset = located.range?.[0] ?? offset;
  }
  return offset;
}
