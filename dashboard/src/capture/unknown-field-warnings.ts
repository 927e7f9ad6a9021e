import { type Node, parseTree } from 'jsonc-parser';
import type { Dialect } from '../../../src/core/preset.ts';
import type { JsonObject } from '../../../src/dialects/json-object.ts';
import { isKnownField, unknownFieldMessage } from '../../../src/dialects/known-fields.ts';
import type { PlacedIssue } from './place-issues.ts';

/** More than anybody fixes one by one, and few enough for the editor to mark them all. */
export const warningsMax = 100;

/**
 * The top-level fields that the dialect does not know, each marked at its name. The server ignores
 * them, so they don't block saving. Fields inside known ones are stored as they are.
 */
export function unknownFieldWarnings(
  text: string,
  body: JsonObject,
  dialect: Dialect,
): readonly PlacedIssue[] {
  // Most requests have none, and a request of megabytes takes a while to parse with positions.
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

function fieldNamesOf(root: Node | undefined): readonly FieldName[] {
  const properties = root?.children ?? [];
  return properties.flatMap(({ children: [key] = [] }) =>
    key === undefined ? [] : [{ name: String(key.value), offset: key.offset, length: key.length }],
  );
}

const nameCharactersMax = 128;

/** A name can be as long as a body, and the list beside the editor shows it. */
function pointerTo(name: string): string {
  const shown =
    name.length > nameCharactersMax ? `${name.slice(0, nameCharactersMax).toWellFormed()}…` : name;
  return `/${shown.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
