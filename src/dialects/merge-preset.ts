import type { AppliedRequest } from './applied-request.ts';
import { copyFields, type JsonObject } from './json-object.ts';
import { mergeTools } from './merge-tools.ts';
import type { PreparedPreset } from './prepared-preset.ts';

/**
 * A request with the fields of a preset that it does not give itself. Where it gives null for one, there is neither.
 * The request comes as the client wrote it: any value may stand anywhere, under any name.
 */
export function mergePreset(request: JsonObject, preset: PreparedPreset): AppliedRequest {
  const body: Record<string, unknown> = { ...undisplaced(request, preset) };
  copyFields(request, body);
  for (const name of preset.names) if (request[name] === null) delete body[name];
  if (preset.tools !== undefined && Array.isArray(request.tools))
    body.tools = mergeTools(preset.tools, request.tools);
  if (preset.isTranslated || request.tools === null) removeIdleToolChoice(body, request);
  return { body, droppedFields: notGiven(preset.droppedFields, request) };
}

/** Without the fields that the request gives under another name. Those of the same name are replaced by it anyway. */
function undisplaced(request: JsonObject, { config, rivals }: PreparedPreset): JsonObject {
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
