import { PresetdError } from '../../core/errors.ts';
import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import { beyondPresets } from '../../core/organization/workspace-access.ts';
import type { Dialect } from '../../core/presets/preset.ts';
import {
  findPresetsUsedAsModels,
  type PresetReference,
  parsePresetReference,
  withoutReference,
} from '../../core/presets/preset-reference.ts';
import type { PresetResolver, ResolvedPreset } from '../../core/presets/resolve-preset.ts';
import { invalidBody } from '../../core/request-issues.ts';
import {
  applyPreset,
  applyTranslated,
  withoutNullConversation,
} from '../../dialects/presets/apply-preset.ts';
import type { AppliedRequest } from '../../dialects/presets/merge-preset.ts';
import { type TranslatedRequest, translateRequest } from '../../dialects/translate/translate-request.ts';
import { type Call, describePreset } from '../call.ts';
import type { Upstream } from '../upstreams/upstream.ts';

export interface AppliedCall {
  /** The body with the preset applied. The same object as the call's body if nothing changed. */
  readonly body: JsonObject;
  /** Fields of the preset that the dialect of the call has no counterpart for. */
  readonly droppedFields: readonly string[];
  /** The variables of the preset that have their default; absent if it has no variables. */
  readonly defaultVariables?: readonly string[];
  /** The same call with stored ids rewritten for this upstream. */
  readonly at?: (upstream: Upstream) => Pick<AppliedCall, 'body' | 'droppedFields'>;
  /**
   * The same call in another dialect. The request is translated before the preset is applied, so
   * that a preset in that dialect loses nothing.
   */
  readonly translate: (to: Dialect) => TranslatedRequest;
}

/**
 * Resolves the preset that a call names and applies it in the dialect of the call. A call without
 * one is returned as it is.
 */
export function resolveAndApplyPreset(
  call: Call,
  resolve: PresetResolver,
): AppliedCall | Promise<AppliedCall> {
  const { dialect, body } = call;
  const named = parsePresetReference(body);
  const request = withoutReference(body, named.model);
  return resolvePreset(call, named.reference, resolve, (version) => {
    if (version === undefined)
      return { body: request, droppedFields: [], translate: (to) => translateRequest(request, dialect, to) };
    const source = { request: withoutNullConversation(request), dialect };
    const applied = applyPreset(source.request, dialect, version, named.variables);
    const overridden = applied.overriddenConfig;
    return {
      ...applied,
      translate: (to) => applyTranslated({ ...source, overridden }, to, version, named.variables),
    };
  });
}

/** The result of applying a version, or of none, with what the trace of a call says about it. */
type Application = AppliedCall & Partial<Pick<AppliedRequest, 'overriddenFields' | 'policyFields'>>;

/**
 * Resolves the preset of a call, if it names one, and applies it. Returns a promise only if the
 * preset is not cached, which saves the fast path an event-loop tick.
 */
export function resolvePreset(
  call: Call,
  reference: PresetReference | undefined,
  resolve: PresetResolver,
  apply: (version: ResolvedPreset['version'] | undefined) => Application,
): AppliedCall | Promise<AppliedCall> {
  const { caller, draft, trace } = call;
  if (reference === undefined) {
    assertMayCallModels(call);
    assertNoDraft(call);
    return assertNoPresetAsModel(call, apply(undefined));
  }
  trace.requestedPreset = reference.slug;
  const applyTo = (preset: ResolvedPreset): AppliedCall => {
    trace.preset = preset;
    trace.pin = reference.pin;
    const applied = withNamedVariables(call, () => apply(preset.version));
    trace.overriddenFields = applied.overriddenFields ?? [];
    trace.policyFields = applied.policyFields ?? [];
    return assertNoPresetAsModel(call, applied);
  };
  const resolved = resolve(caller, reference, draft);
  return resolved instanceof Promise ? resolved.then(applyTo) : applyTo(resolved);
}

/** Says which preset needs which variables, and where to send them: the most frequent mistake. */
function withNamedVariables({ trace, body }: Call, apply: () => Application): Application {
  try {
    return apply();
  } catch (error) {
    if (!(error instanceof PresetdError) || error.code !== 'missing_variable') throw error;
    const { issues = [] } = error;
    const missing = issues.flatMap(({ path, message }) =>
      message === 'is required' && path.startsWith(variablesPath) ? [path.slice(variablesPath.length)] : [],
    );
    const [other] = issues.filter(({ path }) => !missing.includes(path.slice(variablesPath.length)));
    const [variables, them] = missing.length === 1 ? ['variable', 'it'] : ['variables', 'them'];
    const misplaced = isJsonObject(body.variables) ? ', not in `variables`' : '';
    const needs = `${describePreset(trace)} needs the ${variables} ${listNames(missing)}: send ${them} in \`prompt.variables\`${misplaced}.`;
    const text = other === undefined ? needs : `${needs} ${other.path} ${other.message}.`;
    throw new PresetdError('invalid_request', text, { issues, code: error.code });
  }
}

const variablesPath = '/prompt/variables/';
const namesShown = 20;

/** "a", "a and b", "a, b and 3 more" */
function listNames(names: readonly string[]): string {
  const shown = names.slice(0, namesShown);
  const last =
    names.length > namesShown
      ? `${names.length - namesShown} more`
      : shown.length > 1
        ? shown.pop()
        : undefined;
  return last === undefined ? shown.join() : `${shown.join(', ')} and ${last}`;
}

/**
 * A key that is limited to some presets calls models only through them. It does not read stored
 * responses either, which contain the prompt.
 */
function assertMayCallModels({ caller }: Call): void {
  if (caller.presets !== null) throw beyondPresets(caller, caller.presets);
}

/** A draft without a preset has no name for headers, logs and a key's list of presets. */
function assertNoDraft({ draft }: Call): void {
  if (draft === undefined) return;
  const message = 'needs the name of a preset, which need not exist; add it in /model, /preset or /prompt/id';
  throw invalidBody([{ path: '/presetd/draft', message }]);
}

/** Returns `applied`. An upstream would take a preset in any other place for a model. */
function assertNoPresetAsModel(call: Call, applied: AppliedCall): AppliedCall {
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
