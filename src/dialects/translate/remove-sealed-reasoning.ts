import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import type { Dialect } from '../../core/presets/preset.ts';
import { dialectOf } from '../dialects.ts';

/**
 * Removes reasoning that presetd has sealed from a request that is not translated: it belongs to an
 * upstream of another dialect, and providers reject what they did not sign. Returns the same object
 * if there is none.
 */
export function removeSealedReasoning(
  body: JsonObject,
  dialect: Dialect,
): { readonly body: JsonObject; readonly droppedFields: readonly string[] } {
  const { conversation, reasoning } = dialectOf[dialect];
  const { [conversation.list]: given } = body;
  if (!Array.isArray(given)) return { body, droppedFields: [] };
  const kept = given.flatMap((entry: unknown): readonly unknown[] =>
    isJsonObject(entry) ? reasoning.withoutSealed(entry) : [entry],
  );
  const isSame = kept.length === given.length && kept.every((entry, index) => entry === given[index]);
  return isSame
    ? { body, droppedFields: [] }
    : { body: { ...body, [conversation.list]: kept }, droppedFields: [reasoning.path] };
}
