/**
 * Explains which fields of a request a capture does not save. Dry runs of captures return the
 * result as `left_out`; the dashboard and the command line show it.
 */

import type { Dialect } from '../../core/presets/preset.ts';
import { isPromptObject } from '../../core/presets/preset-reference.ts';
import { dialectOf } from '../dialects.ts';
import { describeUnknownField, fieldKind } from '../known-fields.ts';
import type { ExclusionReason, FieldKind } from '../model/capture-fields.ts';

/** Part of the API: dry runs return these as `reason`. */
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

type UncapturedReason = (typeof uncapturedReasons)[number];

interface UncapturedField {
  readonly field: string;
  readonly reason: UncapturedReason;
  readonly message: string;
}

export interface UncapturedFields {
  /** In the order of the request, up to `uncapturedFieldsMax`. */
  readonly fields: readonly UncapturedField[];
  /** Includes the fields beyond the limit. */
  readonly totalCount: number;
}

/** Bounds the response: a body can have a million fields, and a name can be as long as a body. */
export const uncapturedFieldsMax = 50;
const nameCharactersMax = 128;

/** Finds the top-level fields that a capture does not save. Expects a valid request. */
export function findUncapturedFields(request: object, dialect: Dialect): UncapturedFields {
  const fields: UncapturedField[] = [];
  let totalCount = 0;
  for (const [name, value] of Object.entries(request)) {
    const reason = reasonOf(name, value, dialect);
    if (reason === 'captured' || reason === 'extension') continue;
    totalCount += 1;
    if (fields.length < uncapturedFieldsMax)
      fields.push({ field: shortenName(name), reason, message: messageOf(name, reason, dialect) });
  }
  return { fields, totalCount };
}

function reasonOf(name: string, value: unknown, dialect: Dialect): FieldKind | UncapturedReason {
  const reason = fieldKind(name, dialect);
  if (reason === undefined) return 'unknown';
  if (value === null) return 'null';
  return name === 'prompt' && isPromptObject(value) ? 'preset' : reason;
}

function shortenName(name: string): string {
  const shortened = name.length > nameCharactersMax ? `${name.slice(0, nameCharactersMax)}…` : name;
  // The name may contain lone surrogates, or the cut may have split a pair.
  return shortened.toWellFormed();
}

function messageOf(name: string, reason: UncapturedReason, dialect: Dialect): string {
  if (reason === 'unknown') return describeUnknownField(name, dialect);
  if (reason === 'preset' && name === 'prompt') return promptReferenceMessage;
  const { list, promptSource } = dialectOf[dialect].conversation;
  if (reason === 'conversation' && name === list)
    return `${promptSource}; the rest is part of the conversation, which each call provides.`;
  return messages[reason];
}

const messages: Readonly<Record<Exclude<UncapturedReason, 'unknown'>, string>> = {
  conversation: 'Part of the conversation, which each call provides.',
  system_prompt: 'Saved as the system prompt, not in the config.',
  identity: 'Identifies the caller or the session, which each call sets itself.',
  delivery: 'Controls how the response is delivered or stored, which each call sets itself.',
  call: 'Applies only to one call or to a group of related calls.',
  preset: 'Refers to a preset. A version cannot refer to another preset.',
  null: 'Null counts as absent.',
};

const promptReferenceMessage = 'Names a preset and values for its variables, which each call provides.';
