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

export interface YamlIssue {
  readonly line: number;
  readonly message: string;
}

export interface ParsedYaml {
  /** Undefined where there are mistakes. */
  readonly value: unknown;
  readonly issues: readonly YamlIssue[];
  /** Of the key or the item that the path leads to, or as far on the way to it as the text goes. */
  lineOf(path: Path): number;
}

/** Reads YAML, or JSON, with the place of everything in it. */
export function parseYaml(text: string): ParsedYaml {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true });
  const lineAt = (offset: number) => Math.max(1, lines.linePos(offset).line);
  const lineOf = (path: Path) => lineAt(offsetOf(document, path));
  const found = [...document.errors, ...document.warnings, ...lostAliases(document)];
  if (found.length > 0) {
    const mistakes = found.map((error) => ({ line: lineAt(error.pos[0]), message: explain(error) }));
    return { value: undefined, issues: firstOfEachLine(mistakes), lineOf };
  }
  try {
    return { value: document.toJS(), issues: [], lineOf };
  } catch (error) {
    // Aliases of aliases, which would unfold to more than memory can hold.
    const message = `cannot be read: ${error instanceof Error ? error.message : error}`;
    return { value: undefined, issues: [{ line: 1, message }], lineOf };
  }
}

interface Trouble extends Pick<YAMLError, 'pos' | 'message'> {
  readonly code: YAMLError['code'];
}

/** The parser lets them pass, and throws without a place when the value is made. */
function lostAliases(document: Document.Parsed): readonly Trouble[] {
  const lost: Trouble[] = [];
  visit(document, {
    Alias(_key, alias) {
      if (alias.resolve(document) === undefined)
        lost.push({ code: 'BAD_ALIAS', message: '', pos: [alias.range?.[0] ?? 0, 0] });
    },
  });
  return lost;
}

/** In the words of somebody who did not set out to write YAML; theirs may also repeat a secret. */
const explanations: { readonly [Code in YAMLError['code']]?: string } = {
  BAD_ALIAS: 'a text that begins with * must be in quotes, such as "*"',
  BAD_SCALAR_START: 'a text that begins with a special character such as @, ` or % must be in quotes',
  BAD_INDENT: 'something is not closed or not indented far enough',
  BLOCK_AS_IMPLICIT_KEY: 'there is a second ": " in the line; a text that has one must be in quotes',
  DUPLICATE_KEY: 'the key is there twice; remove one',
  MULTIPLE_DOCS: 'a second document begins here; the file must hold one',
  TAB_AS_INDENT: 'the line is indented by a tab; use spaces',
  TAG_RESOLVE_FAILED:
    'the tag that begins with ! is not known here; a text that begins with ! must be in quotes',
  UNEXPECTED_TOKEN: 'the line cannot be understood here; look at how it and the line before are indented',
};

function explain({ code, message }: Trouble): string {
  return explanations[code] ?? `${message.charAt(0).toLowerCase()}${message.slice(1)}`;
}

/** One mistake makes the parser stumble over what follows. */
function firstOfEachLine(mistakes: readonly YamlIssue[]): readonly YamlIssue[] {
  const first = new Map<number, YamlIssue>();
  for (const mistake of mistakes) if (!first.has(mistake.line)) first.set(mistake.line, mistake);
  return [...first.values()].sort((one, other) => one.line - other.line);
}

function offsetOf(document: Document.Parsed, path: Path): number {
  let node: unknown = document.contents;
  let offset = isNode(node) ? (node.range?.[0] ?? 0) : 0;
  for (const step of path) {
    if (!isCollection(node)) return offset;
    const pair = isMap(node) ? node.items.find(({ key }) => isScalar(key) && key.value === step) : undefined;
    node = pair === undefined ? node.get(step, true) : pair.value;
    const place = pair?.key ?? node;
    if (!isNode(place)) return offset;
    offset = place.range?.[0] ?? offset;
  }
  return offset;
}
