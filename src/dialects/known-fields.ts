import { nearestName } from '../core/nearest-name.ts';
import type { Dialect } from '../core/preset.ts';
import type { FieldTable } from './capture-fields.ts';
import { fields as chatCompletionsFields } from './chat-completions/capture-preset.ts';
import { fields as messagesFields } from './messages/capture-preset.ts';
import { fields as responsesFields } from './responses/capture-preset.ts';

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
  const nearest = nearestName(name, Object.keys(knownFields[dialect]));
  return `Unknown field, ignored.${nearest === undefined ? '' : ` Did you mean ${nearest}?`}`;
}
