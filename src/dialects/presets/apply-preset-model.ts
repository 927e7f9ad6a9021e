import type { JsonObject } from '../../core/json/json-object.ts';
import { applyPreset } from './apply-preset.ts';
import type { Policy } from './extension/policy.ts';
import type { AppliedRequest } from './merge-preset.ts';
import type { AppliedVersion } from './prepared-preset.ts';

/**
 * Merges only the model of a version, and its fallbacks, into a request for something else than a
 * conversation. The rest of a preset has no meaning there, except that its policy may lock the
 * model.
 */
export function applyPresetModel(request: JsonObject, version: AppliedVersion): AppliedRequest {
  let reduced = reducedVersions.get(version);
  if (reduced === undefined) {
    reduced = reduceToModel(version);
    reducedVersions.set(version, reduced);
  }
  return applyPreset(request, anyDialect, reduced);
}

/** All dialects have the two fields. */
const anyDialect = 'chat-completions';

/** Entries disappear together with their version, which lives in the preset cache. */
const reducedVersions = new WeakMap<AppliedVersion, AppliedVersion>();

function reduceToModel({ configJson, extensionJson }: AppliedVersion): AppliedVersion {
  const { model, models }: JsonObject = JSON.parse(configJson);
  const { policy }: { readonly policy?: Policy } = JSON.parse(extensionJson ?? '{}');
  const locked = (policy?.locked ?? []).filter((name) => name === 'model' || name === 'models');
  return {
    dialect: anyDialect,
    configJson: JSON.stringify({ model, models }),
    systemPrompt: null,
    extensionJson: locked.length === 0 ? null : JSON.stringify({ policy: { locked } }),
  };
}
