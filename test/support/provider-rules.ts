/**
 * What the APIs of OpenAI and Anthropic answer with a 400, as far as their documentation, SDKs and
 * error messages say. Scripted upstreams accept everything, which hides what real ones reject.
 */

import type { JsonObject } from '../../src/core/json/json-object.ts';
import { asObject, asObjects } from '../../src/core/json/loose-json.ts';
import type { Dialect } from '../../src/core/presets/preset.ts';
import {
  checkAnthropicStrict,
  checkOpenAiStrict,
  checkParameters,
  countComplexity,
} from './provider-schemas.ts';

/** The reasons for which the provider of a dialect would reject a request. */
export function findRejections(body: unknown, dialect: Dialect): readonly string[] {
  const problems: string[] = [];
  rules[dialect](asObject(body), (problem) => problems.push(problem));
  return problems;
}

type Complain = (problem: string) => void;

const rules: Readonly<Record<Dialect, (body: JsonObject, complain: Complain) => void>> = {
  'chat-completions': checkChatCompletions,
  messages: checkMessages,
  responses: checkResponses,
};

function checkFields(value: JsonObject, known: string, path: string, complain: Complain): void {
  const names = known.split(' ');
  for (const name of Object.keys(value))
    if (!names.includes(name)) complain(`${path}: unknown field ${name}`);
}

const openAiName = /^[a-zA-Z0-9_-]{1,64}$/;
const anthropicName = /^[a-zA-Z0-9_-]{1,128}$/;

function checkName(name: unknown, pattern: RegExp, path: string, complain: Complain): void {
  if (typeof name !== 'string' || !pattern.test(name)) complain(`${path}: ${name} does not match ${pattern}`);
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

// Chat completions.

const chatFields =
  'messages model audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens metadata modalities moderation n parallel_tool_calls prediction presence_penalty prompt_cache_key prompt_cache_options prompt_cache_retention reasoning_effort response_format safety_identifier seed service_tier stop store stream stream_options temperature tool_choice tools top_logprobs top_p user verbosity web_search_options';

function checkChatCompletions(body: JsonObject, complain: Complain): void {
  checkFields(body, chatFields, 'body', complain);
  const messages = asObjects(body.messages);
  if (messages.length === 0) complain('messages: expected an array with minimum length 1');
  for (const [index, message] of messages.entries())
    checkChatMessage(message, messages.slice(index + 1), complain);
  const tools = asObjects(body.tools);
  for (const tool of tools) checkChatTool(tool, complain);
  checkOpenAiChoice(body, tools.map(nestedName), nestedName, complain);
  checkLimits(body, complain);
  const format = asObject(body.response_format);
  if (format.type === 'json_schema') checkFormat(asObject(format.json_schema), complain);
  if (body.top_logprobs !== undefined && body.logprobs !== true) complain('top_logprobs requires logprobs');
}

const nestedName = (tool: JsonObject): unknown => asObject(tool.function ?? tool.custom).name;

const chatMessageFields: Readonly<Record<string, string>> = {
  system: 'role content name',
  developer: 'role content name',
  user: 'role content name',
  assistant: 'role content name refusal tool_calls function_call audio',
  tool: 'role content tool_call_id',
  function: 'role content name',
};

function checkChatMessage(message: JsonObject, later: readonly JsonObject[], complain: Complain): void {
  const fields = chatMessageFields[`${message.role}`];
  if (fields === undefined) complain(`messages: invalid role ${message.role}`);
  else checkFields(message, fields, `${message.role} message`, complain);
  for (const part of asObjects(message.content)) checkChatPart(part, message.role, complain);
  if (Array.isArray(message.content) && message.content.length === 0) complain('content: empty array');
  const calls = asObjects(message.tool_calls);
  for (const call of calls) {
    checkName(nestedName(call), openAiName, 'tool_calls', complain);
    if (`${call.id}`.length > 40) complain('tool_calls: id is longer than 40 characters');
  }
  const firstOther = later.findIndex(({ role }) => role !== 'tool');
  const results = (firstOther === -1 ? later : later.slice(0, firstOther)).map((each) => each.tool_call_id);
  if (calls.some(({ id }) => !results.includes(id)))
    complain('an assistant message with tool_calls must be followed by tool messages for each of them');
}

function checkChatPart(part: JsonObject, role: unknown, complain: Complain): void {
  const ofRole = role === 'user' ? 'text image_url input_audio file' : 'text refusal';
  if (!ofRole.split(' ').includes(`${part.type}`)) complain(`${role}: invalid part ${part.type}`);
  checkFields(
    part,
    'type text refusal image_url input_audio file prompt_cache_breakpoint',
    'content part',
    complain,
  );
  const { file_data: data, file_id: id, filename, ...others } = asObject(part.file);
  if (part.type !== 'file') return;
  checkFields(others, '', 'file', complain);
  if (id === undefined && (!/^data:/.test(`${data}`) || filename === undefined))
    complain('file: expected base64 data with a filename, or the id of a file');
}

function checkChatTool(tool: JsonObject, complain: Complain): void {
  if (tool.type !== 'function' && tool.type !== 'custom') complain(`tools: invalid type ${tool.type}`);
  checkFields(tool, 'type function custom', 'tool', complain);
  checkName(nestedName(tool), openAiName, 'tools', complain);
  if (tool.type === 'function') checkFunction(asObject(tool.function), complain);
}

function checkFunction(definition: JsonObject, complain: Complain): void {
  const { parameters, strict, ...others } = definition;
  checkFields(others, 'type name description defer_loading async', 'function', complain);
  if (parameters !== undefined && parameters !== null) checkParameters(parameters, complain);
  if (strict === true) checkOpenAiStrict(parameters, complain);
}

function checkFormat({ name, schema, strict, ...others }: JsonObject, complain: Complain): void {
  checkFields(others, 'type description', 'format', complain);
  checkName(name, openAiName, 'format', complain);
  if (asObject(schema).type !== 'object') complain('the schema of a format must be of type "object"');
  if (strict === true) checkOpenAiStrict(schema, complain);
}

/** A choice is a word, or names one or several of the declared tools. */
function checkOpenAiChoice(
  { tools, tool_choice: choice, parallel_tool_calls: parallel }: JsonObject,
  names: readonly unknown[],
  nameOf: (choice: JsonObject) => unknown,
  complain: Complain,
): void {
  if (choice === undefined && parallel === undefined) return;
  if (listOf(tools).length === 0) complain('tool_choice and parallel_tool_calls are only allowed with tools');
  if (choice === undefined || typeof choice === 'string') return;
  const { type, allowed_tools: nested, tools: flat } = asObject(choice);
  const chosen = type === 'allowed_tools' ? asObjects(flat ?? asObject(nested).tools) : [asObject(choice)];
  if (chosen.length === 0) complain('tool_choice: no tool is allowed');
  const types = asObjects(tools).map((tool) => tool.type);
  for (const each of chosen) {
    const isNamed = each.type === 'function' || each.type === 'custom';
    if (isNamed ? !names.includes(nameOf(each)) : !types.includes(each.type))
      complain(`tool_choice: ${nameOf(each) ?? each.type} is not among the tools`);
  }
}

function checkLimits({ stop, user, metadata, temperature }: JsonObject, complain: Complain): void {
  if (listOf(stop).length > 4) complain('stop: at most 4 sequences');
  if (typeof user === 'string' && user.length > 64) complain('user: longer than 64 characters');
  if (Object.keys(asObject(metadata)).length > 16) complain('metadata: at most 16 properties');
  if (typeof temperature === 'number' && temperature > 2) complain('temperature: above 2');
}

// Responses.

const responsesFields =
  'access_programs background context_management conversation image include input instructions max_output_tokens max_tool_calls metadata model moderation parallel_tool_calls previous_response_id prompt prompt_cache_key prompt_cache_options prompt_cache_retention reasoning safety_identifier service_tier store stream stream_options temperature text tool_choice tools top_logprobs top_p truncation user';

function checkResponses(body: JsonObject, complain: Complain): void {
  checkFields(body, responsesFields, 'body', complain);
  const { input, max_output_tokens: limit } = body;
  if (input === undefined || input === '' || (Array.isArray(input) && input.length === 0))
    complain('one of "input" or "previous_response_id" or "prompt" or "conversation_id" must be provided');
  const items = asObjects(input);
  for (const item of items) checkItem(item, complain);
  const ids = (pattern: RegExp) =>
    items.filter(({ type }) => pattern.test(`${type}`)).map((each) => each.call_id);
  if (
    ids(/_call$/)
      .toSorted()
      .join() !==
    ids(/_call_output$/)
      .toSorted()
      .join()
  )
    complain('no tool output found for function call, or no call for an output');
  const tools = asObjects(body.tools);
  for (const tool of tools) checkResponsesTool(tool, tools, complain);
  checkOpenAiChoice(
    body,
    tools.map(({ name }) => name),
    ({ name }) => name,
    complain,
  );
  checkLimits(body, complain);
  const format = asObject(asObject(body.text).format);
  if (format.type === 'json_schema') checkFormat(format, complain);
  if (typeof limit === 'number' && limit < 16) complain('max_output_tokens: below 16');
  checkFields(
    asObject(body.reasoning),
    'effort summary generate_summary context mode',
    'reasoning',
    complain,
  );
}

const itemFields: Readonly<Record<string, string>> = {
  message: 'type role content id status phase',
  function_call: 'type call_id name arguments id status namespace',
  function_call_output: 'type call_id output id status',
  custom_tool_call: 'type call_id name input id status namespace',
  custom_tool_call_output: 'type call_id output id status',
  reasoning: 'type id summary content encrypted_content status',
};

function checkItem(item: JsonObject, complain: Complain): void {
  const type = `${item.type ?? 'message'}`;
  const fields = itemFields[type];
  if (fields === undefined) complain(`input: invalid type ${type}`);
  else checkFields(item, fields, type, complain);
  if (type.endsWith('_call')) checkName(item.name, openAiName, type, complain);
  if (`${item.call_id ?? ''}`.length > 64) complain('call_id: longer than 64 characters');
  const isOutput = item.role === 'assistant';
  for (const part of asObjects(type === 'message' ? item.content : item.output)) {
    const allowed = isOutput ? 'output_text refusal' : 'input_text input_image input_file input_audio';
    if (!allowed.split(' ').includes(`${part.type}`)) complain(`${item.role}: invalid part ${part.type}`);
    const { file_data: data, filename } = part;
    if (data !== undefined && (!/^data:/.test(`${data}`) || filename === undefined))
      complain('input_file: expected base64 data with a filename');
  }
}

function checkResponsesTool(tool: JsonObject, all: readonly JsonObject[], complain: Complain): void {
  if (`${tool.type}`.startsWith('openrouter:')) complain(`tools: invalid type ${tool.type}`);
  if (tool.defer_loading === true && all.every(({ type }) => type !== 'tool_search'))
    complain('deferred tools require tools.tool_search');
  if (tool.type !== 'function' && tool.type !== 'custom') return;
  checkName(tool.name, openAiName, 'tools', complain);
  if (tool.type !== 'function') return;
  if (tool.parameters === undefined || tool.strict === undefined)
    complain('a function requires parameters and strict');
  checkFunction(tool, complain);
}

// Messages.

const messagesFields =
  'max_tokens messages model cache_control container context_management diagnostics fallbacks inference_geo mcp_servers metadata output_config service_tier speed stop_sequences stream system temperature thinking tool_choice tools top_k top_p';

function checkMessages(body: JsonObject, complain: Complain): void {
  checkFields(body, messagesFields, 'body', complain);
  if (typeof body.max_tokens !== 'number') complain('max_tokens: field required');
  const messages = asObjects(body.messages);
  if (messages.length === 0) complain('messages: at least one message is required');
  for (const [index, message] of messages.entries()) checkMessage(message, messages[index + 1], complain);
  for (const block of blocksOf(body.system)) checkBlock(block, complain);
  if (body.system === '') complain('system: text content blocks must be non-empty');
  checkFields(asObject(body.metadata), 'user_id', 'metadata', complain);
  checkSampling(body, complain);
  checkMessagesTools(body, complain);
  const breakpoints = JSON.stringify([body.system, body.messages, body.tools]).split('"cache_control"');
  if (breakpoints.length - 1 > 4) complain('a maximum of 4 blocks with cache_control may be provided');
  if (listOf(body.stop_sequences).some((each) => `${each}`.trim() === ''))
    complain('stop_sequences: each stop sequence must contain non-whitespace');
}

const blocksOf = (content: unknown): readonly JsonObject[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : asObjects(content);

function checkMessage(message: JsonObject, next: JsonObject | undefined, complain: Complain): void {
  checkFields(message, 'role content', 'message', complain);
  if (message.role !== 'user' && message.role !== 'assistant') complain(`messages: role ${message.role}`);
  const blocks = blocksOf(message.content);
  if (blocks.length === 0) complain('messages: content must be non-empty');
  for (const block of blocks) checkBlock(block, complain);
  const firstOther = blocks.findIndex(({ type }) => type !== 'tool_result');
  if (firstOther !== -1 && blocks.slice(firstOther).some(({ type }) => type === 'tool_result'))
    complain('tool_result blocks must come before other content');
  const results = blocksOf(next?.content).map((block) => block.tool_use_id);
  if (blocks.some(({ type, id }) => type === 'tool_use' && !results.includes(id)))
    complain('tool_use ids were found without tool_result blocks immediately after');
}

const blockFields: Readonly<Record<string, string>> = {
  text: 'type text cache_control citations',
  image: 'type source cache_control',
  document: 'type source title context citations cache_control',
  tool_use: 'type id name input cache_control',
  tool_result: 'type tool_use_id content is_error cache_control',
  thinking: 'type thinking signature',
  redacted_thinking: 'type data',
};

function checkBlock(block: JsonObject, complain: Complain): void {
  const fields = blockFields[`${block.type}`];
  if (fields === undefined) complain(`messages: invalid block ${block.type}`);
  else checkFields(block, fields, `${block.type}`, complain);
  if (block.type === 'text' && `${block.text}`.trim() === '')
    complain('text content blocks must be non-empty');
  if (block.type === 'tool_use') {
    checkName(block.name, anthropicName, 'tool_use', complain);
    if (!/^[a-zA-Z0-9_-]+$/.test(`${block.id}`)) complain('tool_use.id: invalid');
    if (Array.isArray(block.input) || typeof block.input !== 'object')
      complain('tool_use.input: not an object');
  }
  if (block.type === 'tool_result') for (const each of asObjects(block.content)) checkBlock(each, complain);
}

function checkSampling(body: JsonObject, complain: Complain): void {
  const { temperature, top_p: topP, top_k: topK, max_tokens: limit } = body;
  const { type, budget_tokens: budget } = asObject(body.thinking);
  const isThinking = type === 'enabled' || type === 'adaptive';
  if (typeof temperature === 'number' && temperature > 1) complain('temperature: above 1');
  if (temperature !== undefined && topP !== undefined)
    complain('temperature and top_p cannot both be specified');
  if (isThinking && temperature !== undefined && temperature !== 1) complain('temperature may only be 1');
  if (isThinking && topK !== undefined) complain('top_k must be unset when thinking is enabled');
  if (typeof budget === 'number' && typeof limit === 'number' && budget >= limit)
    complain('max_tokens must be greater than thinking.budget_tokens');
}

function checkMessagesTools(body: JsonObject, complain: Complain): void {
  const tools = asObjects(body.tools);
  for (const tool of tools) checkMessagesTool(tool, complain);
  const names = tools.map(({ name }) => name);
  if (new Set(names).size < names.length) complain('tool names must be unique');
  const { type, name } = asObject(body.tool_choice);
  if (type !== undefined && tools.length === 0) complain('tool_choice may only be specified with tools');
  if (type === 'tool' && !names.includes(name)) complain(`tool ${name} not found in provided tools`);
  if (!['auto', 'any', 'tool', 'none', undefined].includes(type as string)) complain('tool_choice: invalid');
  const format = asObject(asObject(body.output_config).format);
  if (format.type !== undefined) checkAnthropicStrict(format.schema, complain);
  const strict = tools.filter((tool) => tool.strict === true);
  const totals = [...strict.map((tool) => tool.input_schema), format.schema].map(countComplexity);
  if (strict.length > 20) complain('at most 20 strict tools');
  if (totals.reduce((sum, { optional }) => sum + optional, 0) > 24)
    complain('at most 24 optional parameters');
  if (totals.reduce((sum, { unions }) => sum + unions, 0) > 16) complain('at most 16 unions');
}

function checkMessagesTool(tool: JsonObject, complain: Complain): void {
  if (tool.input_schema === undefined) {
    if (!/_\d{8}$/.test(`${tool.type}`)) complain(`tools: invalid type ${tool.type}`);
    return;
  }
  checkFields(
    tool,
    'type name description input_schema strict cache_control defer_loading allowed_callers',
    'tool',
    complain,
  );
  checkName(tool.name, anthropicName, 'tools', complain);
  const schema = asObject(tool.input_schema);
  if (schema.type !== 'object') complain('input_schema.type: should be "object"');
  if (['oneOf', 'allOf', 'anyOf'].some((name) => Object.hasOwn(schema, name)))
    complain('input_schema does not support oneOf, allOf, or anyOf at the top level');
  if (tool.strict === true) checkAnthropicStrict(schema, complain);
}
