import { type Node, parseTree } from 'jsonc-parser';
import type { Issue } from '../api/api-error.ts';
import type { TextProblem } from './check-request-text.ts';

/** A problem that the server found, at its place in the text. */
export interface PlacedIssue extends TextProblem {
  /** The JSON Pointer of the place, as the server gave it. */
  readonly path: string;
}

/**
 * In the order of the text. Each place is found by its JSON Pointer; what is not there, such as a field that is missing, is
 * where it would have been.
 */
export function placeIssues(text: string, issues: readonly Issue[]): readonly PlacedIssue[] {
  if (issues.length === 0) return [];
  const root = parseTree(text);
  return issues
    .map(({ path, message }) => ({ ...placeOf(root, path), path, message }))
    .sort((one, other) => one.from - other.from);
}

function placeOf(root: Node | undefined, pointer: string): { readonly from: number; readonly to: number } {
  if (root === undefined) return { from: 0, to: 0 };
  let node = root;
  for (const part of partsOf(pointer)) {
    const child = childOf(node, part);
    if (child === undefined) break;
    node = child;
  }
  return markOf(node);
}

function partsOf(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function childOf(node: Node, part: string): Node | undefined {
  const children = node.children ?? [];
  if (node.type === 'array') return /^\d+$/.test(part) ? children[Number(part)] : undefined;
  if (node.type !== 'object') return undefined;
  // Of two equal names, the last one counts for whoever reads the text.
  return children.findLast(({ children: [name] = [] }) => name?.value === part)?.children?.[1];
}

/** A value by itself; of an object or a list, which may be long, its name or its first character. */
function markOf(node: Node): { readonly from: number; readonly to: number } {
  const { offset, length, type, parent } = node;
  if (type !== 'object' && type !== 'array') return { from: offset, to: offset + length };
  const name = parent?.type === 'property' ? parent.children?.[0] : undefined;
  return name === undefined
    ? { from: offset, to: offset + 1 }
    : { from: name.offset, to: name.offset + name.length };
}
