import { type Issue, PresetdError } from '../../../core/errors.ts';
import { describePosition } from '../../../core/json/json-text.ts';
import { nearestName } from '../../../core/text/nearest-name.ts';
import type { Reference, TemplateNode } from './parse-template.ts';
import { compileTemplate, type Template } from './template.ts';
import type { Declarations, VariableSchema } from './variable-schema.ts';

/** A name that a template uses, also as the name of a section. */
interface NameUse {
  readonly reference: Reference;
  /** The sections around it, outermost first. Inverted ones are left out: they have no fields. */
  readonly sections: readonly Reference[];
}

/** All names that a template uses, in order. */
export function namesIn({ nodes }: Template): readonly NameUse[] {
  const uses: NameUse[] = [];
  const collect = (inner: readonly TemplateNode[], sections: readonly Reference[]): void => {
    for (const node of inner) {
      if (typeof node === 'string') continue;
      uses.push({ reference: node.reference, sections });
      if (node.type === 'section') collect(node.nodes, [...sections, node.reference]);
      else if (node.type === 'inverted') collect(node.nodes, sections);
    }
  };
  collect(nodes, []);
  return uses;
}

/** The declared variables that none of the templates uses. */
export function findUnusedVariables(
  templates: readonly Template[],
  declarations: Declarations,
): readonly string[] {
  const used = new Set(templates.flatMap(namesIn).map(({ reference }) => reference.keys[0]));
  return Object.keys(declarations).filter((name) => !used.has(name));
}

/** Valid declarations, or undefined for a variable that can be anything. */
export type Shapes = Readonly<Record<string, VariableSchema | undefined>>;

/** Finds what is wrong with the text of a template: its syntax, or names that are not declared. */
export function findTemplateIssues(text: string, variables: Shapes, path: string): readonly Issue[] {
  try {
    return findUndeclaredNames(compileTemplate(text, path), variables, path);
  } catch (error) {
    if (error instanceof PresetdError && error.issues !== undefined) return error.issues;
    throw error;
  }
}

/** Bounds the length of an error response. */
const issuesMax = 50;

/**
 * Finds the names in a template that are not declared, with issues at `path`. In a section, a name
 * can also be a field of the section's object or items, as their schema says. It can be any name if
 * the schema lists no fields.
 */
export function findUndeclaredNames(
  { text, nodes }: Template,
  variables: Shapes,
  path: string,
): readonly Issue[] {
  const issues: Issue[] = [];
  const check = (inner: readonly TemplateNode[], scopes: readonly Shape[]): void => {
    for (const node of inner) {
      if (typeof node === 'string' || issues.length >= issuesMax) continue;
      const { reference } = node;
      const found = resolve(reference.keys, scopes);
      if (found.problem !== undefined) {
        const position = describePosition(text, reference.start);
        issues.push({ path, message: `uses {{${reference.name}}} at ${position}, but ${found.problem}` });
      }
      if (node.type === 'section') check(node.nodes, [...scopes, itemOf(found.shape)]);
      else if (node.type === 'inverted') check(node.nodes, scopes);
    }
  };
  check(nodes, [{ type: 'object', properties: variables, additionalProperties: false }]);
  return issues;
}

/** The known form of a value: its schema, or the names of a scope. Undefined if it can be any. */
type Shape =
  | (Pick<VariableSchema, 'type' | 'items' | 'additionalProperties'> & { readonly properties?: Shapes })
  | undefined;

interface Resolution {
  readonly shape?: Shape;
  readonly problem?: string;
}

/** Finds the schema of a name in the innermost scope that has its first part, as rendering does. */
function resolve(keys: readonly string[], scopes: readonly Shape[]): Resolution {
  const [first, ...others] = keys;
  if (first === undefined)
    return scopes.length > 1 ? { shape: scopes.at(-1) } : { problem: 'only a section has a current item' };
  const fields = scopes.map((scope) => fieldOf(scope, first));
  let found = fields.findLast((field) => field !== undefined);
  if (found === undefined) return { problem: describeUndeclared(first, scopes) };
  for (const [index, key] of others.entries()) {
    found = fieldOf(found.shape, key);
    if (found === undefined) return { problem: `${keys.slice(0, index + 1).join('.')} has no field ${key}` };
  }
  return found;
}

/** The schema of a field; undefined if a value with this schema cannot have the field. */
function fieldOf(shape: Shape, name: string): { readonly shape: Shape } | undefined {
  if (shape === undefined) return { shape };
  if (shape.type !== 'object') return undefined;
  const { properties = {}, additionalProperties } = shape;
  if (Object.hasOwn(properties, name)) return { shape: properties[name] };
  if (typeof additionalProperties === 'object') return { shape: additionalProperties };
  return (additionalProperties ?? Object.keys(properties).length === 0) ? { shape: undefined } : undefined;
}

/** The schema of what a section enters: each item of a list, or the value itself. */
function itemOf(shape: Shape): Shape {
  return shape?.type === 'array' ? shape.items : shape;
}

function describeUndeclared(name: string, scopes: readonly Shape[]): string {
  const known = scopes.flatMap((scope) => Object.keys(scope?.properties ?? {}));
  const nearest = nearestName(name, known);
  const hint = nearest === undefined ? '' : ` (did you mean ${nearest}?)`;
  return `presetd.variables does not declare ${name}${hint}`;
}
