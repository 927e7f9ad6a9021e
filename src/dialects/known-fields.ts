import { nearestName } from '../core/nearest-name.ts';
import type { Dialect } from '../core/presets/preset.ts';
import type { FieldTable } from './capture-fields.ts';
import { fields as chatCompletionsFields } from './chat-completions/capture-preset.ts';
import { fields as messagesFields } from './messages/capture-preset.ts';
import { fields as responsesFields } from './responses/capture-preset.ts';

/** Every top-level field of each dialect, and whether captures save it. */
export const knownFields: Readonly<Record<Dialect, FieldTable>> = {
  'chat-completions': chatCompletionsFields,
  messages: messagesFields,
  responses: responsesFields,
};

/** Checks own properties only: names are untrusted and may be `constructor`. */
export function isKnownField(name: string, dialect: Dialect): boolean {
  return Object.hasOwn(knownFields[dialect], name);
}

/** Names the most similar known field, if any, because most unknown fields are typos. */
export function describeUnknownField(name: string, dialect: Dialect): string {
  const nearest = nearestName(name, Object.keys(knownFields[dialect]));
  return `Unknown field, ignored.${nearest === undefined ? '' : ` Did you mean ${nearest}?`}`;
}
