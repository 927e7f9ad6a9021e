import { type Node, parseTree } from 'jsonc-parser';
import type { Dialect } from '../../../src/core/presets/preset.ts';
import type { JsonObject } from '../../../src/dialects/json-object.ts';
import { isKnownField, unknownFieldMessage } from '../../../src/dialects/known-fields.ts';
import type { LocatedIssue } from './locate-issues.ts';

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
      message: unknownFieldMessage(name, dialect),
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
