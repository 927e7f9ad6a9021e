/** The text of a draft, parsed once for all parts of the page. */

import { isRawNumber } from '../../../../src/core/json/json-text.ts';
import { parseExactJson } from '../../api/exact-json.ts';
import { type CheckedText, checkRequestText } from '../../features/request/check-request.ts';
import type { JSONPath } from '../../features/request/request-text.ts';
import { isPlainJsonObject, type JsonObject } from '../../features/version-content/config-values.ts';
import { type Variable, variablesOf } from '../../features/version-content/describe-variable.ts';

export interface DraftContent {
  readonly text: string;
  readonly checked: CheckedText;
  /**
   * The parsed text; undefined while it is not a JSON object, and then forms are read-only. Numbers
   * keep their digits. Parts that did not change since the last text are the same objects.
   */
  readonly body: JsonObject | undefined;
  /** Variables as the text declares them; their schemas may be incomplete while the user types. */
  readonly variables: readonly Variable[];
}

const noVariables: readonly Variable[] = [];

/** `before` is the content that this one replaces. */
export function parseDraft(text: string, before?: DraftContent): DraftContent {
  const checked = checkRequestText(text);
  if (checked.kind !== 'valid') return { text, checked, body: undefined, variables: noVariables };
  const body = shareEqual(before?.body, parseExactJson(text)) as JsonObject;
  const isSame = before?.body !== undefined && declaredIn(before.body) === declaredIn(body);
  return { text, checked, body, variables: isSame ? before.variables : declaredVariables(body) };
}

/** Leaves out declarations that the server would reject, such as one without a type. */
function declaredVariables(body: JsonObject): readonly Variable[] {
  const declared = declaredIn(body);
  const entries = isPlainJsonObject(declared) ? Object.entries(declared) : [];
  const valid = entries.filter(([, schema]) => isPlainJsonObject(schema) && typeof schema.type === 'string');
  return variablesOf({ variables: Object.fromEntries(valid) });
}

function declaredIn({ presetd }: JsonObject): unknown {
  return isPlainJsonObject(presetd) ? presetd.variables : undefined;
}

/** The value at a path of the request; undefined if there is none. */
export function valueAt(body: JsonObject | undefined, path: JSONPath): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? (value as Record<JSONPath[number], unknown>)[key]
        : undefined,
    body,
  );
}

/** The new value, in which everything that equals the old one is the old object. */
export function shareEqual(before: unknown, after: unknown): unknown {
  if (Object.is(before, after)) return before;
  if (isRawNumber(before) || isRawNumber(after))
    return JSON.stringify(before) === JSON.stringify(after) ? before : after;
  if (Array.isArray(before) && Array.isArray(after)) {
    const shared = after.map((item, index) => shareEqual(before[index], item));
    return isEqual(before, shared) ? before : shared;
  }
  if (!isPlainJsonObject(before) || !isPlainJsonObject(after)) return after;
  const names = Object.keys(after);
  const shared = Object.fromEntries(names.map((name) => [name, shareEqual(before[name], after[name])]));
  // The order of fields is on screen, too.
  return isEqual(Object.keys(before), names) && names.every((name) => before[name] === shared[name])
    ? before
    : shared;
}

function isEqual(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((item, index) => Object.is(item, other[index]));
}
