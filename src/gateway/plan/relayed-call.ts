/** Calls that are not translated: which upstream gets them, and with which model. */

import type { JsonObject } from '../../core/json/json-object.ts';
import { parsePresetReference } from '../../core/presets/preset-reference.ts';
import type { PresetResolver } from '../../core/presets/resolve-preset.ts';
import { applyPresetModel } from '../../dialects/presets/apply-preset-model.ts';
import type { Call, RelayedRequest } from '../call.ts';
import type { GatewaySnapshot } from '../gateway-snapshot.ts';
import { endpointProperties } from '../upstreams/endpoint.ts';
import { type AppliedCall, resolveAndApplyPreset, resolvePreset } from './resolve-and-apply-preset.ts';
import type { RoutePlan } from './router.ts';

/**
 * Resolves the preset that a relayed call names. Where requests are those of a dialect, the preset
 * is applied like in a call of the dialect; otherwise the call only gets the preset's model.
 */
export function resolveRelayedCall(
  call: Call,
  { endpoint }: RelayedRequest,
  resolve: PresetResolver,
): AppliedCall | Promise<AppliedCall> {
  const fields = endpoint === undefined ? undefined : endpointProperties[endpoint].presetFields;
  if (fields === undefined) return resolveModel(call, resolve);
  const applied = resolveAndApplyPreset(call, resolve);
  return applied instanceof Promise
    ? applied.then((each) => withKnownFields(each, call.body, fields))
    : withKnownFields(applied, call.body, fields);
}

/** The upstreams that a relayed call may be sent to, in the order in which they are tried. */
export function planRelayedCall(
  { dialect }: Call,
  { endpoint }: RelayedRequest,
  { body }: AppliedCall,
  { route }: GatewaySnapshot,
): RoutePlan {
  if (endpoint !== 'messages/count_tokens') return route(body, dialect, endpoint);
  // Counted for the model that the call itself would go to.
  const { candidates } = route(body, dialect);
  return { candidates: candidates.slice(0, 1), droppedFields: [] };
}

/** The prompt of such a request is its text, and never an object that names a preset. */
function resolveModel(call: Call, resolve: PresetResolver): AppliedCall | Promise<AppliedCall> {
  const { preset, ...request } = call.body;
  const { reference, model } = parsePresetReference({ model: request.model, preset });
  return resolvePreset(call, reference, resolve, (version) => {
    if (version === undefined) return toAppliedCall(Object.hasOwn(call.body, 'preset') ? request : call.body);
    const { model: _model, presetd: _presetd, ...others } = request;
    const applied = applyPresetModel(model === undefined ? others : { model, ...others }, version);
    return { ...applied, ...toAppliedCall(applied.body) };
  });
}

function toAppliedCall(body: JsonObject): AppliedCall {
  return { body, droppedFields: [], translate: neverTranslated };
}

function neverTranslated(): never {
  throw new Error('a relayed call is not translated');
}

/**
 * Removes the fields of a preset that the endpoint does not have: providers reject unknown fields.
 * Fields of the request itself are for the upstream to judge.
 */
function withKnownFields(applied: AppliedCall, request: JsonObject, known: ReadonlySet<string>): AppliedCall {
  const unknown = Object.keys(applied.body).filter(
    (name) => !known.has(name) && !Object.hasOwn(request, name),
  );
  if (unknown.length === 0) return applied;
  const kept = Object.entries(applied.body).filter(([name]) => !unknown.includes(name));
  return {
    ...applied,
    body: Object.fromEntries(kept),
    droppedFields: [...applied.droppedFields, ...unknown],
  };
}
