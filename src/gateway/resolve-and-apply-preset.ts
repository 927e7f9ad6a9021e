import { PresetdError } from '../core/errors.ts';
import { copyFields } from '../core/json-object.ts';
import { beyondPresets } from '../core/organization/workspace-access.ts';
import type { Dialect } from '../core/presets/preset.ts';
import {
  findPresetsUsedAsModels,
  isPromptObject,
  parsePresetReference,
} from '../core/presets/preset-reference.ts';
import type { PresetResolver, ResolvedPreset } from '../core/presets/resolve-preset.ts';
import { invalidBody } from '../core/request-issues.ts';
import { allDialects } from '../dialects/dialects.ts';
import { applyPreset, applyTranslated } from '../dialects/presets/apply-preset.ts';
import { type TranslatedRequest, translateRequest } from '../dialects/translate/translate-request.ts';
import { type Call, describePreset } from './call.ts';
import type { Upstream } from './upstreams/upstream.ts';

type Body = Readonly<Record<string, unknown>>;

export interface AppliedCall {
  /** The body with the preset applied. The same object as the call's body if nothing changed. */
  readonly body: Body;
  /** Fields of the preset that the dialect of the call has no counterpart for. */
  readonly droppedFields: readonly string[];
  /** The variables of the preset that have their default; absent if it has no variables. */
  readonly defaultVariables?: readonly string[];
  /** The same call with the ids of an upstream that may have stored parts of it. */
  readonly at?: (upstream: Upstream) => Pick<AppliedCall, 'body' | 'droppedFields'>;
  /**
   * The same call in another dialect. The request is translated before the preset is applied, so
   * that a preset in that dialect loses nothing.
   */
  readonly translate: (to: Dialect) => TranslatedRequest;
}

/**
 * Resolves the preset that a call names and applies it in the dialect of the call. A call without
 * one is returned as it is. Returns a promise only if the preset is not cached, which saves the
 * fast path an event-loop tick.
 */
export function resolveAndApplyPreset(
  call: Call,
  resolve: PresetResolver,
): AppliedCall | Promise<AppliedCall> {
  const { reference, model, variables } = parsePresetReference(call.body);
  if (reference === undefined) {
    assertMayCallModels(call);
    assertNoDraft(call);
    const body = withoutReference(call.body, model);
    const translate = (to: Dialect) => translateRequest(body, call.dialect, to);
    return assertNoPresetAsModel(call, { body, droppedFields: [], translate });
  }
  const apply = (preset: ResolvedPreset): AppliedCall => {
    call.trace.preset = preset;
    const request = withoutNullConversation(withoutReference(call.body, model));
    const applied = applyPreset(request, call.dialect, preset.version, variables);
    call.trace.overriddenFields = applied.overriddenFields;
    if (applied.policyFields !== undefined) call.trace.policyFields = applied.policyFields;
    const source = { request, dialect: call.dialect, overridden: applied.overriddenConfig };
    const translate = (to: Dialect) => applyTranslated(source, to, preset.version, variables);
    return assertNoPresetAsModel(call, { ...applied, translate });
  };
  const resolved = resolve(call.caller, reference, call.draft);
  return resolved instanceof Promise ? resolved.then(apply) : apply(resolved);
}

/**
 * Removes what only presetd understands, and sets `model` to the part of it that names a model. A
 * captured request may be sent as a call, hence `presetd`.
 */
function withoutReference(body: Body, model: string | undefined): Body {
  const hasPrompt = isPromptObject(body.prompt);
  if (body.model === model && !hasPrompt && !Object.hasOwn(body, 'preset') && !Object.hasOwn(body, 'presetd'))
    return body;
  const others: Record<string, unknown> = model === undefined ? {} : { model };
  copyFields(
    body,
    others,
    (name) =>
      name !== 'preset' && name !== 'model' && name !== 'presetd' && !(hasPrompt && name === 'prompt'),
  );
  return others;
}

/**
 * Removes a conversation that is null: the preset may have few-shot messages, which cannot be added
 * to it. The same object if there is none.
 */
function withoutNullConversation(body: Body): Body {
  if (conversationFields.every((name) => body[name] !== null)) return body;
  const others: Record<string, unknown> = {};
  copyFields(body, others, (name) => body[name] !== null || !conversationFields.includes(name));
  return others;
}

const conversationFields: readonly string[] = [
  ...new Set(allDialects.flatMap(({ conversation: { list, textField } }) => [list, textField ?? []].flat())),
];

/**
 * A key that is limited to some presets calls models only through them. It does not read stored
 * responses either, which contain the prompt.
 */
export function assertMayCallModels({ caller }: Call): void {
  if (caller.presets !== null) throw beyondPresets(caller, caller.presets);
}

/** A draft without a preset has no name for headers, logs and the presets that a key is limited to. */
export function assertNoDraft({ draft }: Call): void {
  if (draft === undefined) return;
  const message = 'needs the name of a preset, which need not exist; add it in /model, /preset or /prompt/id';
  throw invalidBody([{ path: '/presetd/draft', message }]);
}

/** Returns `applied`. An upstream would take a preset in any other place for a model. */
export function assertNoPresetAsModel(call: Call, applied: AppliedCall): AppliedCall {
  const issues = findPresetsUsedAsModels(applied.body);
  if (issues.length === 0) return applied;
  // The request's own reference is already removed, so this one comes from a preset. Captures
  // reject it today, but older presetd releases stored it.
  if (issues.some(({ path }) => path === '/model'))
    throw new PresetdError(
      'invalid_request',
      `The preset ${describePreset(call.trace)} names another preset as its model, which is not supported. Create a version that names a model.`,
    );
  throw invalidBody(issues);
}
