import { copyFields, type JsonObject } from '../../core/json/json-object.ts';
import type { Dialect } from '../../core/presets/preset.ts';
import { allDialects } from '../dialects.ts';
import { translateConfig } from '../translate/translate-config.ts';
import { withSameOverrides } from '../translate/translate-overrides.ts';
import { fitTranslation, type TranslatedRequest, translateUnfitted } from '../translate/translate-request.ts';
import { applySystemPrompt, type SourceRequest, withoutSystemText } from './apply-system-prompt.ts';
import { insertMessages } from './extension/apply-messages.ts';
import { type RenderedPreset, renderPreset } from './extension/render-preset.ts';
import { type AppliedRequest, mergePreset } from './merge-preset.ts';
import { type AppliedVersion, preparePreset } from './prepared-preset.ts';

/** Merges a version into a request of a dialect, with values for its variables. */
export function applyPreset(
  request: JsonObject,
  dialect: Dialect,
  version: AppliedVersion,
  variables = noVariables,
): AppliedRequest {
  return merge(request, renderPreset(preparePreset(version, dialect), variables), dialect, {
    request,
    dialect,
  });
}

/**
 * The same for an upstream of another dialect. The request is translated first, so that a version
 * in that dialect loses nothing. `overridden` is what the request overrides of the version in its
 * own dialect. Throws `invalid_request` if the request cannot be translated.
 */
export function applyTranslated(
  source: SourceRequest & { readonly overridden: AppliedRequest['overriddenConfig'] },
  to: Dialect,
  version: AppliedVersion,
  variables = noVariables,
): TranslatedRequest {
  const { request, dialect: from, overridden = {} } = source;
  const preset = renderPreset(preparePreset(version, to), variables);
  // In translation, a system text within the conversation may become one of the user.
  const isLocked = preset.policy?.systemPrompt === 'lock';
  const given = isLocked ? withoutSystemText(request, from) : request;
  const translated = translateUnfitted(given, from, to);
  const { config } = translateConfig(overridden, from, to);
  const complete = withSameOverrides(translated.body, config, preset.config, to);
  const applied = merge(complete, preset, to, source);
  const { body, tokensMax } = applied;
  const droppedFields = [...translated.droppedFields, ...applied.droppedFields];
  return fitTranslation({ body, droppedFields }, request, from, to, tokensMax);
}

const noVariables: JsonObject = {};

/**
 * Removes a conversation that is null: the preset may have few-shot messages, which cannot be added
 * to it. The same object if there is none.
 */
export function withoutNullConversation(request: JsonObject): JsonObject {
  if (conversationFields.every((name) => request[name] !== null)) return request;
  const others: Record<string, unknown> = {};
  copyFields(request, others, (name) => request[name] !== null || !conversationFields.includes(name));
  return others;
}

const conversationFields: readonly string[] = [
  ...new Set(allDialects.flatMap(({ conversation: { list, textField } }) => [list, textField ?? []].flat())),
];

/** The messages of the preset are inserted last, when the system prompt has its place. */
function merge(
  request: JsonObject,
  preset: RenderedPreset,
  dialect: Dialect,
  source: SourceRequest,
): AppliedRequest {
  const applied = applySystemPrompt(mergePreset(request, preset), preset, dialect, source);
  const { body, droppedFields } = insertMessages(applied.body, preset.messages, dialect);
  return {
    ...applied,
    body: body as Record<string, unknown>,
    droppedFields: [...applied.droppedFields, ...droppedFields],
    ...(preset.defaultVariables !== undefined && { defaultVariables: preset.defaultVariables }),
  };
}
