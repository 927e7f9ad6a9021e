import { describePosition } from '../../../core/json/json-text.ts';
import { oneLine, truncate } from '../../../core/text/printable.ts';

/** Text, or a tag. */
export type TemplateNode = string | Interpolation | Section;

/** `{{name}}`, which is also written `{{{name}}}` and `{{&name}}`. */
interface Interpolation {
  readonly type: 'value';
  readonly reference: Reference;
}

/** `{{#name}}…{{/name}}` or `{{^name}}…{{/name}}`. */
export interface Section {
  readonly type: 'section' | 'inverted';
  readonly reference: Reference;
  readonly nodes: readonly TemplateNode[];
}

/** The name in a tag. */
export interface Reference {
  /** Such as `order.id`, or `.` for the current item. */
  readonly name: string;
  /** The parts of the name; none for the current item. */
  readonly keys: readonly string[];
  /** Where the tag starts in the text of the template. */
  readonly start: number;
}

/** Deeper than prompts that people write, and shallow enough for recursive functions. */
const sectionLevelsMax = 32;

/**
 * Parses the part of Mustache that templates have: interpolation, sections and comments. It takes
 * linear time, which mustache.js does not (docs/decisions/0026-own-mustache-parser.md).
 *
 * As the Mustache specification says, a section tag or comment that is alone on its line disappears
 * with the line. All other text stays as it is. `fail` creates the error for a text that is not
 * valid, from a problem that continues the path of the text: "has …".
 */
export function parseTemplate(text: string, fail: (problem: string) => Error): readonly TemplateNode[] {
  const failAt = (offset: number, problem: string) =>
    fail(`has an invalid tag at ${describePosition(text, offset)}: ${problem}`);
  const root: TemplateNode[] = [];
  const open: OpenSection[] = [];
  let nodes = root;
  let end = 0;
  for (let start = text.indexOf('{{'); start !== -1; start = text.indexOf('{{', end)) {
    const tag = readTag(text, start);
    if (tag === undefined) throw failAt(start, describeInvalidTag(text, start));
    const line = tag.type === 'value' ? tag : (findOwnLine(text, tag) ?? tag);
    if (line.start > end) nodes.push(text.slice(end, line.start));
    end = line.end;
    if (tag.type === 'value') nodes.push({ type: tag.type, reference: toReference(tag) });
    else if (tag.type === 'close') {
      const section = open.pop();
      if (section?.tag.name !== tag.name) throw failAt(start, describeWrongClose(tag, section?.tag));
      nodes = section.outer;
    } else if (tag.type !== 'comment') {
      if (open.length === sectionLevelsMax)
        throw failAt(start, `${tag.name} is nested more than ${sectionLevelsMax} sections deep`);
      const inner: TemplateNode[] = [];
      nodes.push({ type: tag.type, reference: toReference(tag), nodes: inner });
      open.push({ tag, outer: nodes });
      nodes = inner;
    }
  }
  const unclosed = open.pop()?.tag;
  if (unclosed !== undefined)
    throw failAt(unclosed.start, `the section is never closed; add {{/${unclosed.name}}}`);
  if (end < text.length) nodes.push(text.slice(end));
  return root;
}

interface OpenSection {
  readonly tag: Tag;
  /** The list that contains the section. */
  readonly outer: TemplateNode[];
}

/** A range of the text. */
interface Range {
  readonly start: number;
  readonly end: number;
}

interface Tag extends Range {
  readonly type: 'value' | 'section' | 'inverted' | 'close' | 'comment';
  /** Empty for a comment. */
  readonly name: string;
}

const identifier = '[A-Za-z_][A-Za-z0-9_]{0,63}';
const name = `${identifier}(?:\\.${identifier})*|\\.`;

/** Takes linear time, because there is only one way to match any text. */
const tagExpression = new RegExp(
  `\\{\\{(?:\\{\\s*(${name})\\s*\\}|\\s*(?:([#^/&])\\s*)?(${name})\\s*|\\s*![^]*?)\\}\\}`,
  'y',
);

const nameExpression = new RegExp(`^${identifier}$`);

/** Whether text can be the name of a variable or of a field that templates can refer to. */
export function isVariableName(text: string): boolean {
  return nameExpression.test(text);
}

/** The tag at this offset; undefined if it is not valid. */
function readTag(text: string, start: number): Tag | undefined {
  tagExpression.lastIndex = start;
  const match = tagExpression.exec(text);
  if (match === null) return undefined;
  const [tag, tripleName, sigil = '', name = tripleName] = match;
  const type = name === undefined ? 'comment' : (typesBySigil[sigil] ?? 'value');
  return { type, name: name ?? '', start, end: start + tag.length };
}

const typesBySigil: Readonly<Record<string, Tag['type']>> = {
  '#': 'section',
  '^': 'inverted',
  '/': 'close',
};

function toReference({ name, start }: Tag): Reference {
  return { name, keys: name === '.' ? [] : name.split('.'), start };
}

/** The line of a tag, with its line break; undefined if the line contains anything but the tag. */
function findOwnLine(text: string, tag: Range): Range | undefined {
  let { start, end } = tag;
  while (isBlank(text, start - 1)) start -= 1;
  if (start > 0 && text[start - 1] !== '\n') return undefined;
  while (isBlank(text, end)) end += 1;
  if (end === text.length) return { start, end };
  if (text[end] === '\n') return { start, end: end + 1 };
  return text.startsWith('\r\n', end) ? { start, end: end + 2 } : undefined;
}

function isBlank(text: string, index: number): boolean {
  return text[index] === ' ' || text[index] === '\t';
}

function describeInvalidTag(text: string, start: number): string {
  const close = text.indexOf('}}', start);
  const tag = text.slice(start, close === -1 ? start + excerptMax : close + 2);
  const excerpt = truncate(oneLine(tag.slice(0, excerptMax + 1)), excerptMax);
  if (/^\{\{\s*>/.test(tag)) return `${excerpt} is a partial, and a template cannot include others`;
  if (/^\{\{\s*=/.test(tag)) return `${excerpt} changes the delimiters, which are always {{ and }}`;
  if (close === -1) return `${excerpt} has no closing }}`;
  if (tag.startsWith('{{{') && text[close + 2] !== '}') return `${excerpt} has no closing }}}`;
  return `${excerpt} needs a name: at most 64 letters, digits and underscores, and no digit first`;
}

const excerptMax = 60;

function describeWrongClose(tag: Tag, open: Tag | undefined): string {
  if (open === undefined) return `{{/${tag.name}}} closes a section that is not open`;
  return `{{/${tag.name}}} must be {{/${open.name}}}, because that section is still open`;
}
