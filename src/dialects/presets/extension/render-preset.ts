import type { JsonObject } from '../../../core/json/json-object.ts';
import { invalidBody } from '../../../core/request-issues.ts';
import { indexPresetTools } from '../merge-tools.ts';
import type { PreparedPreset } from '../prepared-preset.ts';
import type { PresetTemplates, RenderContext } from './preset-templates.ts';
import { createRenderBudget } from './template.ts';
import { compileVariables } from './variables.ts';

/** A prepared preset with the values of a call filled in. */
export interface RenderedPreset extends PreparedPreset {
  /** The variables that have their default; absent if the preset has no variables. */
  readonly defaultVariables?: readonly string[];
}

/**
 * Fills the values of a call into a preset. A preset without variables is returned as it is.
 * Throws `invalid_request` with all issues of the values.
 */
export function renderPreset(preset: PreparedPreset, sent: JsonObject): RenderedPreset {
  const { variables } = preset;
  if (variables === undefined) {
    assertNoValues(sent);
    return preset;
  }
  const checked = variables.check(sent);
  if (checked.issues !== undefined)
    throw invalidBody(checked.issues, checked.isIncomplete ? 'missing_variable' : 'invalid_variable');
  const { values, defaultNames, mediaNames } = checked;
  const { templates } = variables;
  assertNoMediaInTexts(mediaNames, templates);
  const context: RenderContext = {
    values,
    mediaNames,
    budget: createRenderBudget(),
    dropped: new Set(),
  };
  const { systemPrompt, messages } = templates;
  const rendered = {
    ...preset,
    ...(systemPrompt !== undefined && { systemPrompt: systemPrompt(context) }),
    ...(messages !== undefined && { messages: messages(context) }),
    ...renderConfig(preset, templates, context),
    defaultVariables: defaultNames,
  };
  return context.dropped.size === 0
    ? rendered
    : { ...rendered, droppedFields: [...preset.droppedFields, ...context.dropped] };
}

/** Nothing if no tool has a template. */
function renderConfig(
  { config }: PreparedPreset,
  templates: PresetTemplates,
  context: RenderContext,
): Partial<Pick<PreparedPreset, 'config' | 'tools'>> {
  if (templates.config.length === 0) return {};
  const rendered = templates.config.map(([name, render]) => [name, render(context)] as const);
  const changed = { ...config, ...Object.fromEntries(rendered) };
  return { config: changed, tools: indexPresetTools(changed.tools) };
}

const checkWithoutVariables = compileVariables({});

/** A value for a preset without variables is most likely meant for another version. */
function assertNoValues(sent: JsonObject): void {
  const { issues } = checkWithoutVariables(sent);
  if (issues !== undefined) throw invalidBody(issues, 'invalid_variable');
}

function assertNoMediaInTexts(mediaNames: readonly string[], { namesInTexts }: PresetTemplates): void {
  const names = mediaNames.filter((name) => namesInTexts.has(name));
  if (names.length === 0) return;
  const message = 'must be text: the preset uses it inside a text, where an image or a file has no place';
  const issues = names.map((name) => ({ path: `/prompt/variables/${name}`, message }));
  throw invalidBody(issues, 'invalid_variable');
}
