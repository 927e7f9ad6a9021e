import { inspectJson, parseExact } from '../core/json-text.ts';
import type { Dialect } from '../core/preset.ts';
import type { AppliedVersion } from './applied-request.ts';
import type { JsonObject } from './json-object.ts';
import { indexPresetTools, type PresetTools } from './merge-tools.ts';
import { findOrigins, translateConfig } from './translate-config.ts';

/** A version in the dialect of the requests that it is applied to, with what merging asks of it. */
export interface PreparedPreset {
  readonly config: JsonObject;
  readonly fieldNames: readonly string[];
  /** Where the fields come from; undefined where they are the preset's own. */
  readonly origins: Origins | undefined;
  readonly droppedFields: readonly string[];
  /** The fields that have other names, with these names; a request that gives one of them takes the field's place. */
  readonly conflicts: ReadonlyMap<string, readonly string[]>;
  /** Every name for a field of the preset. A null under one of them means the preset, and is not sent. */
  readonly names: ReadonlySet<string>;
  readonly tools: PresetTools | undefined;
  readonly isTranslated: boolean;
}

export interface Origins {
  /** As the preset has it. */
  readonly config: JsonObject;
  /** The names in it, by those in the translated config. */
  readonly of: ReadonlyMap<string, readonly string[]>;
}

/** The other names that a dialect has for the concept behind a field. */
export type FieldConflicts = Readonly<Record<string, readonly string[]>>;

/**
 * Parses and translates a version once for every dialect, however many requests it is applied to. What came of it is
 * forgotten together with the version.
 */
export function preparePreset(
  version: AppliedVersion,
  dialect: Dialect,
  rivals: FieldConflicts,
): PreparedPreset {
  const known = preparedOf.get(version);
  if (known?.[dialect] !== undefined) return known[dialect];
  const prepared = prepare(version, dialect, rivals);
  preparedOf.set(version, { ...known, [dialect]: prepared });
  return prepared;
}

const preparedOf = new WeakMap<AppliedVersion, Readonly<Partial<Record<Dialect, PreparedPreset>>>>();

function prepare(version: AppliedVersion, dialect: Dialect, rivals: FieldConflicts): PreparedPreset {
  const original = parsed(version.configJson);
  const { config, droppedFields } = translateConfig(original, version.dialect, dialect);
  const isTranslated = version.dialect !== dialect;
  const rivalsHere = new Map(Object.entries(rivals).filter(([name]) => Object.hasOwn(config, name)));
  return {
    config,
    fieldNames: Object.keys(config),
    origins: isTranslated
      ? { config: original, of: findOrigins(original, version.dialect, dialect) }
      : undefined,
    droppedFields,
    conflicts: rivalsHere,
    names: new Set([...Object.keys(config), ...[...rivalsHere.values()].flat()]),
    tools: indexPresetTools(config.tools),
    isTranslated,
  };
}

/** To parse exactly takes several times as long, and hardly a config has a number that needs it. */
function parsed(configJson: string): JsonObject {
  return inspectJson(configJson).hasInexactNumber
    ? (parseExact(configJson) as JsonObject)
    : (JSON.parse(configJson) as JsonObject);
}
