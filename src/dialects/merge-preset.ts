import type { AppliedRequest } from './applied-request.ts';
import { copyFields, type JsonObject } from './json-object.ts';
import { mergeTools } from './merge-tools.ts';
import { findOverriddenFields } from './overridden-fields.ts';
import type { PreparedPreset } from './prepared-preset.ts';

/**
 * A request with the fields of a preset that it does not give itself. Where it gives null for one, there is neither.
 * The request comes as the client wrote it: any value may stand anywhere, under any name.
 */
export function mergePreset(request: JsonObject, preset: PreparedPreset): AppliedRequest {
  const isContested = Object.keys(request).some((name) => preset.names.has(name));
  const body: Record<string, unknown> = { ...(isContested ? undisplaced(request, preset) : preset.config) };
  copyFields(request, body);
  const overriddenTools = isContested ? settle(request, body, preset) : none;
  if (preset.isTranslated || request.tools === null) removeIdleToolChoice(body, request);
  return {
    body,
    droppedFields: notGiven(preset.droppedFields, request),
    overriddenFields: isContested ? findOverriddenFields(request, body, preset, overriddenTools) : none,
  };
}

const none: readonly string[] = [];

/** Decides the fields that both sides name, which most requests have none of. Returns the preset's tools that were replaced. */
function settle(
  request: JsonObject,
  body: Record<string, unknown>,
  preset: PreparedPreset,
): readonly string[] {
  for (const name of preset.names) if (request[name] === null) delete body[name];
  if (preset.tools === undefined || !Array.isArray(request.tools)) return none;
  const { tools, overridden } = mergeTools(preset.tools, request.tools);
  body.tools = tools;
  return overridden;
}

/** Without the fields that the request gives under another name. Those of the same name are replaced by it anyway. */
function undisplaced(request: JsonObject, { config, conflicts: rivals }: PreparedPreset): JsonObject {
  let rest: Record<string, unknown> | undefined;
  for (const [name, others] of rivals) {
    if (!others.some((other) => Object.hasOwn(request, other))) continue;
    rest ??= { ...config };
    delete rest[name];
  }
  return rest ?? config;
}

/** Upstreams refuse a choice among no tools. The preset's goes with its tools, and one that was translated waits for some. */
function removeIdleToolChoice(body: Record<string, unknown>, request: JsonObject): void {
  if (Array.isArray(body.tools) && body.tools.length > 0) return;
  for (const name of ['tool_choice', 'parallel_tool_calls'])
    if (!Object.hasOwn(request, name)) delete body[name];
}

/** What the request gives itself is not missing from it. */
function notGiven(droppedFields: readonly string[], request: JsonObject): readonly string[] {
  return droppedFields.length === 0
    ? droppedFields
    : droppedFields.filter((name) => !Object.hasOwn(request, name));
}
