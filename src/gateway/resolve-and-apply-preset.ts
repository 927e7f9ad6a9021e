import { PresetdError } from '../core/errors.ts';
import { findPresetsUsedAsModels } from '../core/named-models.ts';
import { readReference } from '../core/preset-reference.ts';
import { invalidBody } from '../core/request-text.ts';
import type { PresetResolver, ResolvedPreset } from '../core/resolve-preset.ts';
import { dialectOf } from '../dialects/dialects.ts';
import { copyFields } from '../dialects/json-object.ts';
import { type Call, describePreset } from './call.ts';

type Body = Readonly<Record<string, unknown>>;

export interface AppliedCall {
  /** With the preset applied; the very body of the call where nothing had to be changed. */
  readonly body: Body;
  readonly droppedFields: readonly string[];
}

/** What a client means by its request: the preset that it names, found and applied. At once where it is remembered. */
export function resolveAndApplyPreset(
  call: Call,
  resolve: PresetResolver,
): AppliedCall | Promise<AppliedCall> {
  const { reference, model } = readReference(call.body);
  if (reference === undefined)
    return checked(call, { body: withoutReference(call.body, model), droppedFields: [] });
  const apply = (preset: ResolvedPreset): AppliedCall => {
    call.trace.preset = preset;
    const applied = dialectOf[call.dialect].applyPreset(withoutReference(call.body, model), preset.version);
    call.trace.overriddenFields = applied.overriddenFields;
    return checked(call, applied);
  };
  const found = resolve(call.caller, reference);
  return found instanceof Promise ? found.then(apply) : apply(found);
}

function withoutReference(body: Body, model: string | undefined): Body {
  if (!Object.hasOwn(body, 'preset') && body.model === model) return body;
  const others: Record<string, unknown> = model === undefined ? {} : { model };
  copyFields(body, others, (name) => name !== 'preset' && name !== 'model');
  return others;
}

/** A preset is named once and at one place; anywhere else its name would be taken for that of a model. */
function checked(call: Call, applied: AppliedCall): AppliedCall {
  const issues = findPresetsUsedAsModels(applied.body);
  if (issues.length === 0) return applied;
  // What the request says of models has been read; only presets of older versions can have this.
  if (issues.some(({ path }) => path === '/model'))
    throw new PresetdError(
      'invalid_request',
      `The preset ${describePreset(call.trace)} names another preset as its model, which cannot be applied. Create a version that names a model.`,
    );
  throw invalidBody(issues);
}
