import { isJsonObject, type JsonObject, omitNullish } from '../../core/json/json-object.ts';

/**
 * The settings of a request that its response repeats, with OpenAI's defaults for those that the
 * request does not set. SDKs and the Open Responses specification require all of them.
 */
export function writeSettings(request: JsonObject): JsonObject {
  const { tools, text, reasoning } = request;
  const given = omitNullish(request);
  const repeated = Object.keys(defaults).map((name) => [name, given[name] ?? defaults[name]]);
  return {
    ...Object.fromEntries(repeated),
    tools: Array.isArray(tools) ? tools.map(writeTool) : [],
    text: { ...(isJsonObject(text) && omitNullish(text)), format: writeFormat(text) },
    reasoning: { effort: null, summary: null, ...(isJsonObject(reasoning) && reasoning) },
    // Only the provider of this dialect stores responses, and runs them in the background.
    store: false,
    background: false,
    previous_response_id: null,
  };
}

const defaults: JsonObject = {
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  parallel_tool_calls: true,
  frequency_penalty: 0,
  presence_penalty: 0,
  prompt_cache_key: null,
  safety_identifier: null,
  temperature: 1,
  tool_choice: 'auto',
  top_logprobs: 0,
  top_p: 1,
  truncation: 'disabled',
  user: null,
};

function writeTool(tool: unknown): unknown {
  if (!isJsonObject(tool) || tool.type !== 'function') return tool;
  return { description: null, parameters: null, strict: null, ...tool };
}

function writeFormat(text: unknown): JsonObject {
  const format = isJsonObject(text) ? text.format : undefined;
  if (!isJsonObject(format)) return { type: 'text' };
  return format.type === 'json_schema'
    ? { description: null, strict: false, ...omitNullish(format) }
    : format;
}
