import type { Dialect } from '../core/preset.ts';
import type { ExclusionReason } from './capture-fields.ts';
import { isKnownField, knownFields, unknownFieldMessage } from './known-fields.ts';

export const uncapturedReasons = [
  'conversation',
  'system_prompt',
  'identity',
  'delivery',
  'call',
  'preset',
  'null',
  'unknown',
] as const satisfies readonly (ExclusionReason | 'null' | 'unknown')[];

export type UncapturedReason = (typeof uncapturedReasons)[number];

export interface UncapturedField {
  readonly field: string;
  readonly reason: UncapturedReason;
  readonly message: string;
}

export interface UncapturedFields {
  /** In the order of the request, no more than a person reads. */
  readonly fields: readonly UncapturedField[];
  readonly totalCount: number;
}

/** A body can have a million fields, and a name can be as long as a body: neither must make a long answer. */
export const uncapturedFieldsMax = 50;
const nameCharactersMax = 128;

/** The top-level fields of a request that a version would not keep, and why. The request must have passed the schema. */
export function findUncapturedFields(request: object, dialect: Dialect): UncapturedFields {
  const fields: UncapturedField[] = [];
  let totalCount = 0;
  for (const [name, value] of Object.entries(request)) {
    const reason = reasonOf(name, value, dialect);
    if (reason === 'kept') continue;
    totalCount += 1;
    if (fields.length < uncapturedFieldsMax)
      fields.push({ field: shownName(name), reason, message: messageOf(name, reason, dialect) });
  }
  return { fields, totalCount };
}

function reasonOf(name: string, value: unknown, dialect: Dialect): 'kept' | UncapturedReason {
  const reason = isKnownField(name, dialect) ? knownFields[dialect][name] : undefined;
  if (reason === undefined) return 'unknown';
  return value === null ? 'null' : reason;
}

function shownName(name: string): string {
  const shown = name.length > nameCharactersMax ? `${name.slice(0, nameCharactersMax)}…` : name;
  // Cutting may leave half a character, and others were never whole.
  return shown.toWellFormed();
}

function messageOf(name: string, reason: UncapturedReason, dialect: Dialect): string {
  if (reason === 'unknown') return unknownFieldMessage(name, dialect);
  return (reason === 'conversation' ? withSystemPrompt[dialect][name] : undefined) ?? messages[reason];
}

const messages: Readonly<Record<Exclude<UncapturedReason, 'unknown'>, string>> = {
  conversation: 'It belongs to the conversation, which each call brings along.',
  system_prompt: 'Its text is kept as the system prompt, not in the config.',
  identity: 'It says who calls or what the call belongs to, which each call says itself.',
  delivery: 'It says how an answer is sent or recorded, which each call says itself.',
  call: 'It holds for one call, or for calls that belong together.',
  preset: 'It refers to a preset, and a version does not refer to another preset.',
  null: 'It is null, which counts as absent.',
};

const rest = 'the rest is the conversation, which each call brings along.';

/** Fields that hold a part of the system prompt among other things. */
const withSystemPrompt: Readonly<Record<Dialect, Readonly<Record<string, string>>>> = {
  'chat-completions': {
    messages: `The text of system and developer messages is kept as the system prompt; ${rest}`,
  },
  messages: { messages: `The text of system messages is kept as part of the system prompt; ${rest}` },
  responses: {
    input: `Where there are no instructions, the text of system and developer items is kept as the system prompt; ${rest}`,
  },
};
