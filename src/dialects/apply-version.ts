import type { Dialect } from '../core/presets/preset.ts';
import { insertMessages } from './extension/apply-messages.ts';
import { type RenderedPreset, renderPreset } from './extension/render-preset.ts';
import type { JsonObject } from './json-object.ts';
import type { AppliedRequest } from './merge-preset.ts';
import { type AppliedVersion, type FieldConflicts, preparePreset } from './prepared-preset.ts';

/** Merges a version into a request, with values for its variables. */
export type ApplyVersion = (
  request: JsonObject,
  version: AppliedVersion,
  variables?: JsonObject,
) => AppliedRequest;

/**
 * Completes the `applyPreset` of a dialect with what is the same in all of them: the version is
 * prepared once, rendered with the values of the call, and its messages are inserted last, when the
 * system prompt has its place.
 */
export function createApplyVersion(
  dialect: Dialect,
  conflicts: FieldConflicts,
  applyPreset: (request: JsonObject, preset: RenderedPreset) => AppliedRequest,
): ApplyVersion {
  return (request, version, variables = noVariables) => {
    const preset = renderPreset(preparePreset(version, dialect, conflicts), variables);
    const applied = applyPreset(request, preset);
    const { body, droppedFields } = insertMessages(applied.body, preset.messages, dialect);
    if (body === applied.body && droppedFields.length === 0 && preset.defaultVariables === undefined)
      return applied;
    return {
      ...applied,
      body: body as Record<string, unknown>,
      droppedFields: [...applied.droppedFields, ...droppedFields],
      ...(preset.defaultVariables !== undefined && { defaultVariables: preset.defaultVariables }),
    };
  };
}

const noVariables: JsonObject = {};
