import type { Dialect } from '../core/preset.ts';
import type { FieldTable } from './captured-fields.ts';
import { fields as chatCompletionsFields } from './chat-completions/to-preset.ts';
import { fields as messagesFields } from './messages/to-preset.ts';
import { fields as responsesFields } from './responses/to-preset.ts';

/** Every top-level field that each dialect knows. */
export const knownFields: Readonly<Record<Dialect, FieldTable>> = {
  'chat-completions': chatCompletionsFields,
  messages: messagesFields,
  responses: responsesFields,
};

/** Names come from outside and may be `constructor`, so only the table's own ones count. */
export function isKnownField(name: string, dialect: Dialect): boolean {
  return Object.hasOwn(knownFields[dialect], name);
}

export function unknownFieldMessage(name: string, dialect: Dialect): string {
  const nearest = nearestField(name, dialect);
  return `Unknown field, ignored.${nearest === undefined ? '' : ` Did you mean ${nearest}?`}`;
}

/** The known field that a name was most likely meant to be; undefined when none is close. */
export function nearestField(name: string, dialect: Dialect): string | undefined {
  const plainName = plain(name);
  // At most a third of the letters: allows typos, but does not turn one short name into another.
  const distanceMax = Math.min(3, Math.floor(plainName.length / 3));
  const candidates = Object.keys(knownFields[dialect])
    .map((field) => ({ field, plainField: plain(field) }))
    // Names may be as long as a body; only those of similar length are worth comparing.
    .filter(({ plainField }) => Math.abs(plainField.length - plainName.length) <= distanceMax)
    .map(({ field, plainField }) => ({ field, distance: editDistance(plainName, plainField) }))
    .filter(({ distance }) => distance <= distanceMax)
    .sort((one, other) => one.distance - other.distance);
  return candidates[0]?.field;
}

/** `maxTokens`, `max-tokens` and `MAX_TOKENS` are all spellings of `max_tokens`. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[_\-\s]/g, '');
}

/** Letters to insert, delete, replace or swap with a neighbor to turn one text into the other. */
function editDistance(one: string, other: string): number {
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    rows.push(current);
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + (isSame ? 0 : 1),
          isSwapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
  }
  return at(one.length, other.length);
}
