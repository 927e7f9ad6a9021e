/**
 * Edits of a request's JSON text.
 *
 * The text is the one source of truth of the workbench: forms, prompt editor and request editor all
 * show parts of it. Edits change only the part they concern, so that numbers, the order of fields
 * and everything without a form stay as the user wrote them.
 */

import {
  applyEdits,
  findNodeAtLocation,
  type JSONPath,
  type ModificationOptions,
  modify,
  type Node,
  parseTree,
} from 'jsonc-parser';
import { parseExactJson } from '../../api/exact-json.ts';

export type { JSONPath } from 'jsonc-parser';

const formattingOptions = { insertSpaces: true, tabSize: 2 };

/** Sets the value at a path, and creates the objects on the way. Expects the text of an object. */
export function setField(text: string, path: JSONPath, value: unknown): string {
  const node = typeof value === 'string' ? findNode(text, path) : undefined;
  // Without the formatter, which takes several times as long. Prompts change on every keystroke.
  if (node !== undefined)
    return text.slice(0, node.offset) + JSON.stringify(value) + text.slice(node.offset + node.length);
  return modified(text, path, value);
}

/** Inserts a value into a list, which may not exist yet; at its end if it is shorter. */
export function insertItem(text: string, list: JSONPath, index: number, value: unknown): string {
  const items = findNode(text, list)?.children;
  if (items === undefined) return setField(text, list, [value]);
  return modified(text, [...list, Math.min(index, items.length)], value, { isArrayInsertion: true });
}

/** Replaces a value on the path that cannot have fields, such as null, by an object. */
function modified(text: string, path: JSONPath, value: unknown, options: ModificationOptions = {}): string {
  const blocking = path.findIndex((_, depth) => {
    const type = depth > 0 && findNode(text, path.slice(0, depth))?.type;
    return type && type !== (typeof path[depth] === 'number' ? 'array' : 'object');
  });
  const open = blocking === -1 ? text : setField(text, path.slice(0, blocking), {});
  return applyEdits(open, modify(open, path, value, { formattingOptions, ...options }));
}

/**
 * Removes the value at a path; nothing happens if there is none. Objects that become empty by it
 * are removed too, up to the request itself, and so are lists.
 */
export function removeField(text: string, path: JSONPath): string {
  const node = findNode(text, path);
  if (node === undefined) return text;
  const parentPath = path.slice(0, -1);
  const container = parentPath.length === 0 ? undefined : findNode(text, parentPath);
  if (container?.children?.length === 1) return removeField(text, parentPath);
  return removeNode(text, node.parent?.type === 'property' ? node.parent : node);
}

/** Also removes a comma. The parser's own removal corrupts lists when their last item goes. */
function removeNode(text: string, node: Node): string {
  const siblings = node.parent?.children ?? [];
  const index = siblings.indexOf(node);
  const [previous, next] = [siblings[index - 1], siblings[index + 1]];
  const from = next === undefined && previous !== undefined ? previous.offset + previous.length : node.offset;
  return text.slice(0, from) + text.slice(next?.offset ?? node.offset + node.length);
}

/** Sets or, for undefined, removes. */
export function changeField(text: string, path: JSONPath, value: unknown): string {
  return value === undefined ? removeField(text, path) : setField(text, path, value);
}

/** Moves an item of a list to another position. */
export function moveItem(text: string, list: JSONPath, from: number, to: number): string {
  const item = findNode(text, [...list, from]);
  if (item === undefined || from === to) return text;
  const source = text.slice(item.offset, item.offset + item.length);
  return insertItem(removeNode(text, item), list, to, parseExactJson(source));
}

function findNode(text: string, path: JSONPath) {
  const root = parseTree(text);
  return root && findNodeAtLocation(root, path);
}
