/** The tools of a request, whose functions each dialect declares in its own form. */

import { isJsonObject, type JsonObject } from '../../../../../src/core/json/json-object.ts';
import type { Dialect } from '../../../../../src/core/presets/preset.ts';
import type { JSONPath } from '../../../features/request/request-text.ts';
import { valueAt } from '../draft-content.ts';

/** Where a function tool has its parts, relative to the tool. */
interface FunctionPaths {
  readonly name: JSONPath;
  readonly description: JSONPath;
  readonly parameters: JSONPath;
}

interface FunctionForm {
  readonly paths: FunctionPaths;
  readonly isFunction: (tool: JsonObject) => boolean;
  readonly create: (name: string, parameters: JsonObject) => JsonObject;
}

const functionForms: Readonly<Record<Dialect, FunctionForm>> = {
  'chat-completions': {
    paths: {
      name: ['function', 'name'],
      description: ['function', 'description'],
      parameters: ['function', 'parameters'],
    },
    isFunction: (tool) => tool.type === 'function' && isJsonObject(tool.function),
    create: (name, parameters) => ({ type: 'function', function: { name, description: '', parameters } }),
  },
  messages: {
    paths: { name: ['name'], description: ['description'], parameters: ['input_schema'] },
    isFunction: ({ type, input_schema: schema }) =>
      isJsonObject(schema) && (type === undefined || type === 'custom'),
    create: (name, parameters) => ({ name, description: '', input_schema: parameters }),
  },
  responses: {
    paths: { name: ['name'], description: ['description'], parameters: ['parameters'] },
    isFunction: ({ type }) => type === 'function',
    create: (name, parameters) => ({ type: 'function', name, description: '', parameters }),
  },
};

/** Undefined for tools that are not functions, such as web search, which are edited as JSON. */
export function functionPaths(tool: unknown, dialect: Dialect): FunctionPaths | undefined {
  if (!isJsonObject(tool)) return undefined;
  const { isFunction, paths } = functionForms[dialect];
  return isFunction(tool) ? paths : undefined;
}

/** A function without parameters, to start from. */
export function newFunction(dialect: Dialect, name: string): JsonObject {
  return functionForms[dialect].create(name, { type: 'object', properties: {}, required: [] });
}

/** How a tool is called in lists. */
export function toolName(tool: unknown, dialect: Dialect): string {
  if (!isJsonObject(tool)) return 'Invalid tool';
  const name = valueAt(tool, functionForms[dialect].paths.name) ?? tool.name;
  if (typeof name === 'string' && name !== '') return name;
  return typeof tool.type === 'string' ? tool.type : 'Unnamed tool';
}

export interface Property {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly isRequired: boolean;
}

export const propertyTypes = ['string', 'number', 'integer', 'boolean', 'array', 'object'] as const;

/**
 * The parameters as rows of a form; undefined if the schema says more than rows can show, such as
 * an enum or nested fields. It is then edited as JSON.
 */
export function propertiesOf(schema: unknown): readonly Property[] | undefined {
  if (!isJsonObject(schema)) return undefined;
  const { type, properties = {}, required = [], additionalProperties, ...others } = schema;
  if (type !== 'object' || !isJsonObject(properties) || !Array.isArray(required)) return undefined;
  if (
    Object.keys(others).length > 0 ||
    (additionalProperties !== undefined && additionalProperties !== false)
  )
    return undefined;
  const rows = Object.entries(properties).map(([name, property]) => {
    if (!isJsonObject(property)) return undefined;
    const { type: propertyType, description = '', ...rest } = property;
    const isSimple =
      typeof propertyType === 'string' && propertyTypes.some((known) => known === propertyType);
    if (!isSimple || typeof description !== 'string' || Object.keys(rest).length > 0) return undefined;
    return { name, type: propertyType, description, isRequired: required.includes(name) };
  });
  return rows.every((row) => row !== undefined) ? rows : undefined;
}

/** Two parameters of one name would become one. Undefined if nothing is wrong. */
export function parameterNameProblem(typed: string, rows: readonly Property[]): string | undefined {
  if (typed === '') return 'Enter a name.';
  return rows.some(({ name }) => name === typed) ? `${typed} already exists.` : undefined;
}

/** The schema with other rows. Keeps `additionalProperties`, which strict functions need. */
export function withProperties(schema: JsonObject, rows: readonly Property[]): JsonObject {
  const { additionalProperties } = schema;
  return {
    type: 'object',
    properties: Object.fromEntries(
      rows.map(({ name, type, description }) => [name, { type, ...(description !== '' && { description }) }]),
    ),
    required: rows.filter(({ isRequired }) => isRequired).map(({ name }) => name),
    ...(additionalProperties !== undefined && { additionalProperties }),
  };
}
