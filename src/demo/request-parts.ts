/** Parts of requests that many presets of the demo have, in the words of each dialect. */

type Properties = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const objectOf = (properties: Properties) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

/** A tool of chat completions. All parameters are required. */
export function chatTool(name: string, description: string, parameters: Properties) {
  return { type: 'function', function: { name, description, parameters: objectOf(parameters) } };
}

/** A tool of messages. */
export function messagesTool(name: string, description: string, parameters: Properties) {
  return { name, description, input_schema: objectOf(parameters) };
}

/** Structured output of chat completions. */
export function chatFormat(name: string, properties: Properties) {
  return { type: 'json_schema', json_schema: { name, strict: true, schema: objectOf(properties) } };
}

/** Structured output of responses. */
export function responsesFormat(name: string, properties: Properties) {
  return { format: { type: 'json_schema', name, strict: true, schema: objectOf(properties) } };
}

export const text = (description: string) => ({ type: 'string', description });
export const oneOf = (...values: readonly string[]) => ({ type: 'string', enum: values });
export const number = (description: string) => ({ type: 'number', description });
export const listOf = (items: Readonly<Record<string, unknown>>) => ({ type: 'array', items });
export const record = objectOf;
