import { copyFields, type JsonObject } from '../../core/json/json-object.ts';
import { findEffectiveLocks, withoutLocked } from './extension/field-locks.ts';
import { fieldsOfLimit, lowerToLimits } from './extension/limits.ts';
import { mergeTools } from './merge-tools.ts';
import { findOverriddenFields } from './overridden-fields.ts';
import type { PreparedPolicy, PreparedPreset } from './prepared-preset.ts';

export interface AppliedRequest {
  /** Read-only: its values belong to the request or to a preset that other requests share. */
  readonly body: Record<string, unknown>;
  /** Fields without a counterpart in the dialect of the request, by their names in the preset. */
  readonly droppedFields: readonly string[];
  /** The preset's fields that the request replaced, system prompt first, by name in the preset. */
  readonly overriddenFields: readonly string[];
  /** The values of the preset that the request replaced or removed; absent if there are none. */
  readonly overriddenConfig?: JsonObject;
  /** The variables that have their default; absent if the preset has no variables. */
  readonly defaultVariables?: readonly string[];
  /** The changes of the preset's policy to the request; absent if the preset has no policy. */
  readonly policyFields?: readonly PolicyField[];
  /** The policy's upper bound for a token limit; absent if it has none. */
  readonly tokensMax?: number;
}

/** Something that a request asked for and a policy changed. */
export interface PolicyField {
  /** `system_prompt`, a locked field or a limit, as the policy names it. */
  readonly name: string;
  /** Whose value is sent: the preset's own or its limit, or the texts of both sides. */
  readonly winner: 'preset' | 'both';
}

/** Merges a preset into a request, within what the preset's policy allows. */
export function mergePreset(request: JsonObject, preset: PreparedPreset): AppliedRequest {
  return preset.policy === undefined
    ? mergeFields(request, preset)
    : mergeUnderPolicy(request, preset, preset.policy);
}

/** Removes and lowers what the policy does not allow, then merges the rest as usual. */
function mergeUnderPolicy(
  request: JsonObject,
  preset: PreparedPreset,
  { locks, limits }: PreparedPolicy,
): AppliedRequest {
  const unlocked = withoutLocked(request, locks, preset.config);
  const { fields, lowered } = lowerToLimits(unlocked, limits);
  const applied = mergeFields(fields, preset);
  const effectiveLocks = findEffectiveLocks(request, applied.body, locks, preset.tools);
  // A request that sets the rest of a partly locked field does not override what is locked.
  const reported = new Set([...locks.map(({ name }) => name), ...lowered.flatMap(fieldsOfLimit)]);
  const tokensMax = limits.find(({ name }) => name === 'max_tokens')?.max;
  return {
    ...applied,
    ...(tokensMax !== undefined && { tokensMax }),
    overriddenFields: applied.overriddenFields.filter((name) => !reported.has(name)),
    policyFields: [...new Set([...effectiveLocks, ...lowered])].map((name) => ({ name, winner: 'preset' })),
  };
}

/**
 * Fills in the preset's fields that a request does not set itself. A null in the request removes
 * the preset's field. The request has not been validated: any name may hold any value.
 *
 * Most requests set none of the preset's fields; they skip everything that resolves conflicts.
 */
function mergeFields(request: JsonObject, preset: PreparedPreset): AppliedRequest {
  const hasOverlap = Object.keys(request).some((name) => preset.names.has(name));
  const body: Record<string, unknown> = {
    ...(hasOverlap ? withoutConflicts(request, preset) : preset.config),
  };
  copyFields(request, body);
  const overriddenTools = hasOverlap ? mergeOverlap(request, body, preset) : none;
  if (preset.isTranslated || request.tools === null) removeStaleToolChoice(body, request);
  const overriddenConfig = hasOverlap ? findOverriddenConfig(body, preset) : undefined;
  return {
    body,
    ...(overriddenConfig !== undefined && { overriddenConfig }),
    droppedFields: withoutRequestFields(preset.droppedFields, request),
    overriddenFields: hasOverlap ? findOverriddenFields(request, body, preset, overriddenTools) : none,
  };
}

const none: readonly string[] = [];

/** Applies nulls and merges tools. Returns the names of the preset's tools that were replaced. */
function mergeOverlap(
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

/**
 * The preset's config without the fields that conflict with a differently named field of the
 * request. Fields of the same name need no removal, because the request overwrites them.
 */
function withoutConflicts(request: JsonObject, { config, conflicts }: PreparedPreset): JsonObject {
  let rest: Record<string, unknown> | undefined;
  for (const [name, others] of conflicts) {
    if (!others.some((other) => Object.hasOwn(request, other))) continue;
    rest ??= { ...config };
    delete rest[name];
  }
  return rest ?? config;
}

/**
 * Removes the preset's tool choice if there are no tools, because upstreams reject that. It
 * concerns requests that remove the preset's tools, and translated presets, whose tools may have
 * been dropped. A preset in its own dialect is sent the way its author wrote it.
 */
function removeStaleToolChoice(body: Record<string, unknown>, request: JsonObject): void {
  if (Array.isArray(body.tools) && body.tools.length > 0) return;
  for (const name of ['tool_choice', 'parallel_tool_calls'])
    if (!Object.hasOwn(request, name)) delete body[name];
}

/** Tools are merged, so a request can only remove all of them. */
function findOverriddenConfig(body: JsonObject, { fieldNames, config }: PreparedPreset) {
  const names = fieldNames.filter((name) =>
    name === 'tools' ? !Object.hasOwn(body, name) : body[name] !== config[name],
  );
  return names.length === 0 ? undefined : Object.fromEntries(names.map((name) => [name, config[name]]));
}

/** A dropped field that the request sets itself is not missing. */
function withoutRequestFields(droppedFields: readonly string[], request: JsonObject): readonly string[] {
  return droppedFields.length === 0
    ? droppedFields
    : droppedFields.filter((name) => !Object.hasOwn(request, name));
}
