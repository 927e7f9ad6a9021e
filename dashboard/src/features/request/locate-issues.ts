import { type Node, parseTree } from 'jsonc-parser';
import type { JsonObject } from '../../../../src/core/json/json-object.ts';
import { parsePointer } from '../../../../src/core/json/json-pointer.ts';
import type { Dialect } from '../../../../src/core/presets/preset.ts';
import { describeUnknownField, isKnownField } from '../../../../src/dialects/known-fields.ts';
import type { Issue } from '../../api/api-error.ts';
import type { TextProblem } from './check-request.ts';

/** A problem reported by the server, with its range in the text. */
export interface LocatedIssue extends TextProblem {
  /** The JSON Pointer from the server. */
  readonly path: string;
}

/**
 * Finds the text range of each issue and sorts them by position. The range of a missing field is
 * that of its nearest existing parent.
 */
export function locateIssues(text: string, issues: readonly Issue[]): readonly LocatedIssue[] {
  if (issues.length === 0) return [];
  const root = parseTree(text);
  return issues
    .map(({ path, message }) => ({ ...rangeOf(root, path), path, message }))
    .sort((one, other) => one.from - other.from);
}

/** Follows the part of the pointer that the text has. */
function rangeOf(root: Node | undefined, pointer: string): { readonly from: number; readonly to: number } {
  if (root === undefined) return { from: 0, to: 0 };
  let node = root;
  for (const part of parsePointer(pointer)) {
    const child = childOf(node, part);
    if (child === undefined) break;
    node = child;
  }
  return markOf(node);
}

function childOf(node: Node, part: string): Node | undefined {
  const children = node.children ?? [];
  if (node.type === 'array') return /^\d+$/.test(part) ? children[Number(part)] : undefined;
  if (node.type !== 'object') return undefined;
  // Of duplicate names, JSON parsers use the last.
  return children.findLast(({ children: [name] = [] }) => name?.value === part)?.children?.[1];
}

/**
 * Marks a scalar itself, and an object or list, which may be long, by its name or first character.
 */
function markOf(node: Node): { readonly from: number; readonly to: number } {
  const { offset, length, type, parent } = node;
  if (type !== 'object' && type !== 'array') return { from: offset, to: offset + length };
  const name = parent?.type === 'property' ? parent.children?.[0] : undefined;
  return name === undefined
    ? { from: offset, to: offset + 1 }
    : { from: name.offset, to: name.offset + name.length };
}

/** More than anyone fixes one by one, and few enough for the editor to mark them all. */
export const warningsMax = 100;

/**
 * Warns about top-level fields that the dialect does not know, at their names. The server ignores
 * them, so they do not block saving. Fields inside known ones are stored unchanged.
 */
export function unknownFieldWarnings(
  text: string,
  body: JsonObject,
  dialect: Dialect,
): readonly LocatedIssue[] {
  // The common case. Parsing megabytes with positions is slow, so do it only if needed.
  if (Object.keys(body).every((name) => isKnownField(name, dialect))) return [];
  return fieldNamesOf(parseTree(text))
    .filter(({ name }) => !isKnownField(name, dialect))
    .slice(0, warningsMax)
    .map(({ name, offset, length }) => ({
      from: offset,
      to: offset + length,
      path: pointerTo(name),
      message: describeUnknownField(name, dialect),
    }));
}

interface FieldName {
  readonly name: string;
  readonly offset: number;
  readonly length: number;
}

/**
 * Top-level names with their positions. Read from the syntax tree, since a parsed object has none.
 */
function fieldNamesOf(root: Node | undefined): readonly FieldName[] {
  const properties = root?.children ?? [];
  return properties.flatMap(({ children: [key] = [] }) =>
    key === undefined ? [] : [{ name: String(key.value), offset: key.offset, length: key.length }],
  );
}

const nameCharactersMax = 128;

/** Shortens the name: it can be as long as the body, and the list next to the editor shows it. */
function pointerTo(name: string): string {
  const shown =
    name.length > nameCharactersMax ? `${name.slice(0, nameCharactersMax).toWellFormed()}…` : name;
  return `/${shown.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
