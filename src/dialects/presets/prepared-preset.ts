import type { JsonObject } from '../../core/json/json-object.ts';
import { inspectJson, parseExact } from '../../core/json/json-text.ts';
import type { Dialect, PresetVersion } from '../../core/presets/preset.ts';
import { dialectOf } from '../dialects.ts';
import { findOrigins, translateConfig } from '../translate/translate-config.ts';
import { translateMessages } from './extension/apply-messages.ts';
import type { ExtensionParts } from './extension/check-extension.ts';
import { type FieldLock, prepareLock } from './extension/field-locks.ts';
import { type Limit, lowerToLimits, prepareLimits } from './extension/limits.ts';
import type { SystemPromptMode } from './extension/policy.ts';
import { compilePresetTemplates, type PreparedVariables } from './extension/preset-templates.ts';
import { compileVariables } from './extension/variables.ts';
import { indexPresetTools, type PresetTools } from './merge-tools.ts';

/** The part of a preset version that is merged into a request. */
export type AppliedVersion = Pick<PresetVersion, 'dialect' | 'configJson' | 'systemPrompt' | 'extensionJson'>;

/** A preset version, translated into the dialect of a request and indexed for merging. */
export interface PreparedPreset {
  readonly config: JsonObject;
  readonly systemPrompt: string | null;
  /** Few-shot turns, in the dialect of the request. */
  readonly messages: readonly JsonObject[];
  /** Undefined if the version has no variables, and so no templates. */
  readonly variables: PreparedVariables | undefined;
  readonly fieldNames: readonly string[];
  /** Where translated fields come from; undefined if the preset is already in the dialect. */
  readonly origins: Origins | undefined;
  readonly droppedFields: readonly string[];
  /** For fields of the preset: other fields that replace them if a request sets those. */
  readonly conflicts: ReadonlyMap<string, readonly string[]>;
  /** All field names that concern the preset. A null for one of them is not sent. */
  readonly names: ReadonlySet<string>;
  readonly tools: PresetTools | undefined;
  readonly isTranslated: boolean;
  /** Undefined if the request may replace anything, which is the common case. */
  readonly policy: PreparedPolicy | undefined;
}

/** A policy, prepared for requests of one dialect. */
export interface PreparedPolicy {
  /** Undefined if the request's system prompt replaces the preset's. */
  readonly systemPrompt: SystemPromptMode | undefined;
  readonly locks: readonly FieldLock[];
  readonly limits: readonly Limit[];
}

export interface Origins {
  /** The config in the preset's own dialect. */
  readonly config: JsonObject;
  /** Field names of that config, by field name of the translated config. */
  readonly sourceNames: ReadonlyMap<string, readonly string[]>;
}

/**
 * Parses and translates a version, once per dialect. The result is cached for as long as the
 * version object itself, which lives in the preset cache: evicting a version also frees its
 * translations.
 */
export function preparePreset(version: AppliedVersion, dialect: Dialect): PreparedPreset {
  const cached = preparedPresets.get(version);
  if (cached?.[dialect] !== undefined) return cached[dialect];
  const prepared = prepare(version, dialect);
  preparedPresets.set(version, { ...cached, [dialect]: prepared });
  return prepared;
}

const preparedPresets = new WeakMap<AppliedVersion, Readonly<Partial<Record<Dialect, PreparedPreset>>>>();

function prepare(version: AppliedVersion, dialect: Dialect): PreparedPreset {
  const { request, content } = dialectOf[dialect];
  const original = parseJson(version.configJson);
  const { config: translated, droppedFields } = translateConfig(original, version.dialect, dialect);
  const { policy, variables, messages = [] } = parseExtension(version.extensionJson);
  const limits = prepareLimits(policy?.limits ?? {});
  const config = lowerToLimits(translated, limits).fields;
  const { turns, droppedFields: droppedParts } = translateMessages(messages, version.dialect, dialect);
  const { systemPrompt } = version;
  const isTranslated = version.dialect !== dialect;
  const conflicts = new Map(
    Object.entries(request.conflicts).filter(([name]) => Object.hasOwn(config, name)),
  );
  return {
    config,
    systemPrompt,
    messages: turns.map(({ message }) => message),
    variables: variables && {
      check: compileVariables(variables),
      templates: compilePresetTemplates({ systemPrompt, config, turns }, content),
    },
    fieldNames: Object.keys(config),
    origins: isTranslated
      ? { config: original, sourceNames: findOrigins(original, version.dialect, dialect) }
      : undefined,
    droppedFields: [...droppedFields, ...droppedParts],
    conflicts,
    names: new Set([...Object.keys(config), ...[...conflicts.values()].flat()]),
    tools: indexPresetTools(config.tools),
    isTranslated,
    policy: policy && {
      systemPrompt: policy.system_prompt === 'replace' ? undefined : policy.system_prompt,
      locks: (policy.locked ?? []).map((name) => prepareLock(name, version.dialect, config, conflicts)),
      limits,
    },
  };
}

/** The extension passed validation when the version was created. */
function parseExtension(extensionJson: string | null): ExtensionParts {
  return extensionJson === null ? {} : (parseJson(extensionJson) as ExtensionParts);
}

/** Exact parsing takes several times as long, and hardly any config has a number that needs it. */
function parseJson(text: string): JsonObject {
  return inspectJson(text).hasInexactNumber
    ? (parseExact(text) as JsonObject)
    : (JSON.parse(text) as JsonObject);
}
