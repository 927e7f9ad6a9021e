/** Variables of a preset in words, for the history and the workbench. */

import type { PresetVersionDetails } from '../../../../src/api/versions.ts';
import type { VariableSchema } from '../../../../src/dialects/presets/extension/variable-schema.ts';
import { formatCount } from '../../components/text.ts';

/** A declared variable. */
export interface Variable {
  readonly name: string;
  readonly schema: VariableSchema;
  /** Without a default, every call has to pass a value. */
  readonly isRequired: boolean;
}

/** In the order of their declaration. */
export function variablesOf(presetd: PresetVersionDetails['presetd'] | undefined): readonly Variable[] {
  // The server checks declarations when it saves them.
  const declared = Object.entries(presetd?.variables ?? {}) as [string, VariableSchema][];
  return declared.map(([name, schema]) => ({ name, schema, isRequired: !Object.hasOwn(schema, 'default') }));
}

/** "string", "list of objects". */
export function typeName({ type, items }: VariableSchema): string {
  if (type !== 'array') return type;
  return items === undefined ? 'list' : `list of ${items.type === 'array' ? 'lists' : `${items.type}s`}`;
}

/** A value as a person would type it: strings without quotes, everything else as JSON. */
export function valueAsText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The rules for a value besides its type, as phrases such as "up to 80 characters". */
export function rulesOf(schema: VariableSchema): readonly string[] {
  const { enum: values, const: constant, format, pattern, items } = schema;
  const { exclusiveMinimum: above, exclusiveMaximum: below, multipleOf } = schema;
  return [
    values && `one of ${listed(values.map(valueAsText))}`,
    constant !== undefined && `always ${valueAsText(constant)}`,
    range(schema.minLength, schema.maxLength, 'character', 'characters'),
    typeof format === 'string' && `format ${format}`,
    typeof pattern === 'string' && `matches ${pattern}`,
    range(schema.minimum, schema.maximum),
    above !== undefined && `more than ${valueAsText(above)}`,
    below !== undefined && `less than ${valueAsText(below)}`,
    multipleOf !== undefined && `a multiple of ${valueAsText(multipleOf)}`,
    range(schema.minItems, schema.maxItems, 'item', 'items'),
    fieldNames(schema, 'fields'),
    items && fieldNames(items, 'each with'),
  ].filter((rule) => typeof rule === 'string');
}

/** Bounds may be numbers that JavaScript would round, so they are formatted as JSON. */
function range(min: unknown, max: unknown, one?: string, many?: string): string | undefined {
  const unit = (bound: unknown) => {
    const text = JSON.stringify(bound);
    if (one === undefined || many === undefined) return text;
    return typeof bound === 'number' ? formatCount(bound, one, many) : `${text} ${many}`;
  };
  if (min !== undefined && max !== undefined) return `${JSON.stringify(min)} to ${unit(max)}`;
  if (max !== undefined) return `up to ${unit(max)}`;
  return min === undefined ? undefined : `at least ${unit(min)}`;
}

function fieldNames({ properties }: VariableSchema, label: string): string | undefined {
  return properties && `${label} ${listed(Object.keys(properties))}`;
}

const listedMax = 12;

function listed(names: readonly string[]): string {
  const rest = names.length - listedMax;
  return names.slice(0, listedMax).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}
