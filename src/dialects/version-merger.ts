import type { Dialect } from '../core/presets/preset.ts';
import { applySystemPrompt, type SourceRequest, withoutSystemText } from './apply-system-prompt.ts';
import { insertMessages } from './extension/apply-messages.ts';
import { type RenderedPreset, renderPreset } from './extension/render-preset.ts';
import type { JsonObject } from './json-object.ts';
import { type AppliedRequest, mergePreset } from './merge-preset.ts';
import { type AppliedVersion, type FieldConflicts, preparePreset } from './prepared-preset.ts';
import { translateConfig } from './translate/translate-config.ts';
import { withSameOverrides } from './translate/translate-overrides.ts';
import {
  fitTranslation,
  type TranslatedRequest,
  translateWithoutFitting,
} from './translate/translate-request.ts';

/** Merges versions into requests of one dialect, with values for their variables. */
export interface VersionMerger {
  readonly applyPreset: (
    request: JsonObject,
    version: AppliedVersion,
    variables?: JsonObject,
  ) => AppliedRequest;
  /**
   * The same for a request of another dialect, which is translated first, so that a version in this
   * dialect loses nothing. `overridden` is what the request overrides of the version in its own
   * dialect. Throws `invalid_request` if the request cannot be translated.
   */
  readonly applyTranslated: (
    source: SourceRequest & { readonly overridden: AppliedRequest['overriddenConfig'] },
    version: AppliedVersion,
    variables?: JsonObject,
  ) => TranslatedRequest;
}

export function createVersionMerger(dialect: Dialect, conflicts: FieldConflicts): VersionMerger {
  const prepare = (version: AppliedVersion, variables = noVariables) =>
    renderPreset(preparePreset(version, dialect, conflicts), variables);
  return {
    applyPreset: (request, version, variables) =>
      apply(request, prepare(version, variables), dialect, { request, dialect }),
    applyTranslated: (source, version, variables) => {
      const { request, dialect: from, overridden = {} } = source;
      const preset = prepare(version, variables);
      // In translation, a system text within the conversation may become one of the user.
      const isLocked = preset.policy?.systemPrompt === 'lock';
      const given = isLocked ? withoutSystemText(request, from) : request;
      const translated = translateWithoutFitting(given, from, dialect);
      const { config } = translateConfig(overridden, from, dialect);
      const complete = withSameOverrides(translated.body, config, preset.config, dialect);
      const applied = apply(complete, preset, dialect, source);
      const { body, tokensMax } = applied;
      const droppedFields = [...translated.droppedFields, ...applied.droppedFields];
      return fitTranslation({ body, droppedFields }, request, from, dialect, tokensMax);
    },
  };
}

const noVariables: JsonObject = {};

/** The messages of the preset are inserted last, when the system prompt has its place. */
function apply(
  request: JsonObject,
  preset: RenderedPreset,
  dialect: Dialect,
  source: SourceRequest,
): AppliedRequest {
  const applied = applySystemPrompt(mergePreset(request, preset), preset, dialect, source);
  const { body, droppedFields } = insertMessages(applied.body, preset.messages, dialect);
  if (body === applied.body && droppedFields.length === 0 && preset.defaultVariables === undefined)
    return applied;
  return {
    ...applied,
    body: body as Record<string, unknown>,
    droppedFields: [...applied.droppedFields, ...droppedFields],
    ...(preset.defaultVariables !== undefined && { defaultVariables: preset.defaultVariables }),
  };
}
