import { PresetdError } from '../../../core/errors.ts';
import { isRawNumber } from '../../../core/json/json-text.ts';
import { invalidBody } from '../../../core/request-issues.ts';
import { parseTemplate, type Section, type TemplateNode } from './parse-template.ts';

/**
 * A prompt text with Mustache tags: `{{name}}`, `{{#name}}…{{/name}}`, `{{^name}}…{{/name}}` and
 * `{{! comment }}`. It has no state, so one template serves all calls of a version.
 */
export interface Template {
  readonly text: string;
  readonly nodes: readonly TemplateNode[];
}

/** Parses a template. Throws `invalid_request` with an issue at `path` if it is not valid. */
export function compileTemplate(text: string, path = ''): Template {
  const fail = (message: string) => invalidBody([{ path, message }]);
  return { text, nodes: parseTemplate(text, fail) };
}

/** The name of the variable if the template is `{{name}}` and nothing else. */
export function soleVariable({ nodes: [node, ...others] }: Template): string | undefined {
  if (typeof node !== 'object' || node.type !== 'value' || others.length > 0) return undefined;
  return node.reference.keys.length === 1 ? node.reference.name : undefined;
}

/** The resources left for rendering. All templates of a call share one budget. */
export interface RenderBudget {
  charactersLeft: number;
  stepsLeft: number;
}

const charactersMax = 1_048_576;

/** Enough for a thousand list items with fifty tags each, and done within a few milliseconds. */
const stepsMax = 100_000;

export function createRenderBudget(): RenderBudget {
  return { charactersLeft: charactersMax, stepsLeft: stepsMax };
}

/**
 * Renders a template with values that are plain JSON. A string is inserted as it is and never
 * parsed again, other values as JSON, null and absent ones as nothing. Nothing is escaped.
 *
 * Only fields of JSON objects have names: `{{constructor}}` and `{{list.length}}` are absent unless
 * the values contain them. As in mustache.js, false, 0, empty strings and empty lists are falsy.
 *
 * Throws `invalid_request` if the budget runs out.
 */
export function renderTemplate(template: Template, values: unknown, budget: RenderBudget): string {
  const pieces: string[] = [];
  renderNodes(template.nodes, { value: values, parent: undefined }, budget, pieces);
  // Joining once gives a flat string; repeated concatenation would leave that to the serializer.
  return pieces.join('');
}

/** The value of a section and those around it, in which names are looked up. */
interface Scope {
  readonly value: unknown;
  readonly parent: Scope | undefined;
}

function renderNodes(
  nodes: readonly TemplateNode[],
  scope: Scope,
  budget: RenderBudget,
  pieces: string[],
): void {
  budget.stepsLeft -= nodes.length;
  if (budget.stepsLeft < 0) throw tooManySteps();
  for (const node of nodes) {
    if (typeof node === 'object' && node.type !== 'value') {
      renderSection(node, scope, budget, pieces);
      continue;
    }
    const text = typeof node === 'string' ? node : toText(lookUp(node.reference.keys, scope));
    budget.charactersLeft -= text.length;
    if (budget.charactersLeft < 0) throw tooLong();
    pieces.push(text);
  }
}

function renderSection(
  { type, reference, nodes }: Section,
  scope: Scope,
  budget: RenderBudget,
  pieces: string[],
): void {
  const value = lookUp(reference.keys, scope);
  const isFalsy = !value || (Array.isArray(value) && value.length === 0);
  if (type === 'inverted') {
    if (isFalsy) renderNodes(nodes, scope, budget, pieces);
    return;
  }
  if (isFalsy) return;
  for (const item of Array.isArray(value) ? value : [value]) {
    // An empty section has no nodes to count.
    budget.stepsLeft -= 1;
    renderNodes(nodes, { value: item, parent: scope }, budget, pieces);
  }
}

/**
 * Finds the innermost scope with the first key; the other keys are fields of its value. Undefined
 * if any of them is absent.
 */
function lookUp(keys: readonly string[], scope: Scope): unknown {
  const first = keys[0];
  if (first === undefined) return scope.value;
  for (let holder: Scope | undefined = scope; holder !== undefined; holder = holder.parent)
    if (hasField(holder.value, first)) return fieldAt(holder.value[first], keys);
  return undefined;
}

/** Follows all keys but the first. */
function fieldAt(start: unknown, keys: readonly string[]): unknown {
  let value = start;
  for (let index = 1; index < keys.length; index += 1) {
    const key = keys[index] ?? '';
    if (!hasField(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

function hasField(value: unknown, key: string): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.hasOwn(value, key) &&
    !Array.isArray(value) &&
    !isRawNumber(value)
  );
}

function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

function tooLong(): PresetdError {
  return new PresetdError(
    'invalid_request',
    `With these variables, the preset is longer than ${charactersMax} characters. Pass shorter values.`,
    {
      issues: [
        { path: '/prompt/variables', message: `make the preset longer than ${charactersMax} characters` },
      ],
    },
  );
}

function tooManySteps(): PresetdError {
  return new PresetdError(
    'invalid_request',
    `With these variables, rendering the preset takes more than ${stepsMax} steps. Pass shorter lists.`,
    { issues: [{ path: '/prompt/variables', message: `take more than ${stepsMax} steps to render` }] },
  );
}
