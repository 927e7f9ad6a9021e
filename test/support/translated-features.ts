import type { JsonObject } from '../../src/core/json/json-object.ts';
import type { Dialect } from '../../src/core/presets/preset.ts';

/** Something that a request or a response can say, and how each dialect says it. */
export interface Feature {
  readonly title: string;
  /** A dialect without a form cannot express the feature. */
  readonly forms: Forms;
  /** Forms that a translation may write instead. */
  readonly others?: Forms;
}

/** Of several forms, the first is the one that is sent; a translation may choose any. */
export type Forms = Readonly<Partial<Record<Dialect, JsonObject | readonly JsonObject[]>>>;

const chat = 'chat-completions';
const everywhere = (form: JsonObject): Forms => ({ [chat]: form, messages: form, responses: form });

const png = 'iVBORw0KGgo=';
const pngUrl = `data:image/png;base64,${png}`;
const pdf = 'AAAA';
const pdfUrl = `data:application/pdf;base64,${pdf}`;
const cached = { cache_control: { type: 'ephemeral' } };
const schema = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};

const system = (content: string) => ({ role: 'system', content });
const developer = (content: string) => ({ role: 'developer', content });
const user = (content: unknown) => ({ role: 'user', content });
const assistant = (content: unknown, more: JsonObject = {}) => ({ role: 'assistant', content, ...more });
const text = (value: string) => ({ type: 'text', text: value });

/** A question about a part in the form that each dialect has for it. */
const asked = (parts: Readonly<Partial<Record<Dialect, JsonObject>>>): Forms => ({
  ...(parts[chat] && { [chat]: { messages: [user([text('What is it?'), parts[chat]])] } }),
  ...(parts.messages && { messages: { messages: [user([text('What is it?'), parts.messages])] } }),
  ...(parts.responses && {
    responses: { input: [user([{ type: 'input_text', text: 'What is it?' }, parts.responses])] },
  }),
});

const functions = (
  more: JsonObject = {},
  parameters: JsonObject = schema,
): Readonly<Record<Dialect, JsonObject>> => ({
  [chat]: { type: 'function', function: { name: 'weather', parameters, ...more } },
  messages: { name: 'weather', input_schema: parameters, ...more },
  responses: { type: 'function', name: 'weather', parameters, ...more },
});

/** A function with parameters that not every provider accepts. */
const withParameters = (parameters: JsonObject, more: JsonObject = {}): Forms => ({
  [chat]: { tools: [functions(more, parameters)[chat]] },
  messages: { tools: [functions(more, parameters).messages] },
  responses: { tools: [functions(more, parameters).responses] },
});

/** An output format with a schema that not every provider accepts. */
const withFormat = (given: JsonObject, more: JsonObject = {}): Forms => ({
  [chat]: {
    response_format: { type: 'json_schema', json_schema: { name: 'response', schema: given, ...more } },
  },
  messages: { output_config: { format: { type: 'json_schema', schema: given } } },
  responses: { text: { format: { type: 'json_schema', name: 'response', schema: given, ...more } } },
});

/** The same forms without those of some dialects. */
const without = (forms: Forms, ...dialects: readonly Dialect[]): Forms =>
  Object.fromEntries(Object.entries(forms).filter(([dialect]) => !dialects.includes(dialect as Dialect)));

const { additionalProperties: _, ...openSchema } = schema;
const limits = { type: 'integer', minimum: 1, maximum: 5 };
const limitedSchema = {
  type: 'object',
  properties: { stars: limits },
  required: ['stars'],
  additionalProperties: false,
};
const optionalSchema = { ...schema, properties: { ...schema.properties, unit: { type: 'string' } } };
const recursiveSchema = {
  type: 'object',
  properties: { root: { $ref: '#/$defs/node' } },
  required: ['root'],
  additionalProperties: false,
  $defs: {
    node: {
      type: 'object',
      properties: { children: { type: 'array', items: { $ref: '#/$defs/node' } } },
      required: ['children'],
      additionalProperties: false,
    },
  },
};
const longName = `mcp__${'weather_station_'.repeat(4)}_forecast`;
const shortName = 'mcp__weather_station_weather_station_weather_st_1f7e0a0bc8e6a1eb';

const withTools = (settings: Readonly<Record<Dialect, JsonObject>>): Forms => ({
  [chat]: { tools: [functions()[chat]], ...settings[chat] },
  messages: { tools: [functions().messages], ...settings.messages },
  responses: { tools: [functions().responses], ...settings.responses },
});

const call = (id: string, name: string, input: string) => ({
  id,
  type: 'function',
  function: { name, arguments: input },
});
const toolUse = (id: string, name: string, input: JsonObject) => ({ type: 'tool_use', id, name, input });
const functionCall = (call_id: string, name: string, input: string) => ({
  type: 'function_call',
  call_id,
  name,
  arguments: input,
});
const result = (tool_use_id: string, content: unknown, more: JsonObject = {}) => ({
  type: 'tool_result',
  tool_use_id,
  content,
  ...more,
});
const output = (call_id: string, value: unknown) => ({
  type: 'function_call_output',
  call_id,
  output: value,
});

/** A conversation in which a tool returned something. */
const returned = (
  content: Readonly<Partial<Record<Dialect, unknown>>>,
  inMessages: JsonObject = {},
  chatMessagesAfter: readonly JsonObject[] = [],
): Forms => ({
  ...(content[chat] !== undefined && {
    [chat]: {
      messages: [
        user('Weather?'),
        assistant(null, { tool_calls: [call('call_1', 'weather', '{}')] }),
        { role: 'tool', tool_call_id: 'call_1', content: content[chat] },
        ...chatMessagesAfter,
      ],
    },
  }),
  ...(content.messages !== undefined && {
    messages: {
      messages: [
        user('Weather?'),
        assistant([toolUse('call_1', 'weather', {})]),
        user([result('call_1', content.messages, inMessages)]),
      ],
    },
  }),
  ...(content.responses !== undefined && {
    responses: {
      input: [user('Weather?'), functionCall('call_1', 'weather', '{}'), output('call_1', content.responses)],
    },
  }),
});

/** Features that clients can ask for, in groups. */
export const requestFeatures: Readonly<Record<string, readonly Feature[]>> = {
  Instructions: [
    {
      title: 'A system prompt',
      forms: {
        [chat]: { messages: [system('Be brief.'), user('Hi')] },
        messages: { system: 'Be brief.', messages: [user('Hi')] },
        responses: [{ instructions: 'Be brief.' }, { input: [system('Be brief.')] }],
      },
    },
    {
      title: 'Several system and developer texts',
      forms: {
        [chat]: [
          { messages: [system('Be brief.'), developer('Be kind.'), user('Hi')] },
          { messages: [{ role: 'system', content: [text('Be brief.'), text('Be kind.')] }] },
        ],
        messages: { system: [text('Be brief.'), text('Be kind.')], messages: [user('Hi')] },
        responses: [
          { instructions: 'Be brief.', input: [developer('Be kind.'), user('Hi')] },
          {
            input: [
              {
                role: 'system',
                content: [
                  { type: 'input_text', text: 'Be brief.' },
                  { type: 'input_text', text: 'Be kind.' },
                ],
              },
            ],
          },
        ],
      },
    },
    {
      title: 'Instructions in the middle of a conversation',
      forms: {
        [chat]: { messages: [user('Hi'), system('Be brief.'), user('Bye')] },
        messages: { messages: [user('Hi'), system('Be brief.'), user('Bye')] },
        responses: { input: [user('Hi'), system('Be brief.'), user('Bye')] },
      },
    },
    {
      title: 'Instructions without a message of the user',
      forms: {
        [chat]: { messages: [system('Write a haiku.')] },
        responses: [{ instructions: 'Write a haiku.', input: [] }, { input: [system('Write a haiku.')] }],
      },
    },
  ],
  Conversation: [
    {
      title: 'Several turns',
      forms: {
        [chat]: { messages: [user('Hi'), assistant('Hello'), user('Bye')] },
        messages: { messages: [user('Hi'), assistant('Hello'), user('Bye')] },
        responses: { input: [user('Hi'), assistant('Hello'), user('Bye')] },
      },
    },
    {
      title: 'An image by URL',
      forms: asked({
        [chat]: { type: 'image_url', image_url: { url: 'https://a.example/b.png' } },
        messages: { type: 'image', source: { type: 'url', url: 'https://a.example/b.png' } },
        responses: { type: 'input_image', image_url: 'https://a.example/b.png' },
      }),
    },
    {
      title: 'An image as base64',
      forms: asked({
        [chat]: { type: 'image_url', image_url: { url: pngUrl } },
        messages: { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
        responses: { type: 'input_image', image_url: pngUrl },
      }),
    },
    {
      title: 'The detail of an image',
      forms: asked({
        [chat]: { type: 'image_url', image_url: { url: pngUrl, detail: 'low' } },
        responses: { type: 'input_image', image_url: pngUrl, detail: 'low' },
      }),
    },
    {
      title: 'An uploaded image',
      forms: asked({
        messages: { type: 'image', source: { type: 'file', file_id: 'file_1' } },
        responses: { type: 'input_image', file_id: 'file_1' },
      }),
    },
    {
      title: 'A PDF as base64',
      forms: asked({
        [chat]: { type: 'file', file: { file_data: pdfUrl, filename: 'a.pdf' } },
        messages: {
          type: 'document',
          source: { type: 'base64', media_type: 'application/pdf', data: pdf },
          title: 'a.pdf',
        },
        responses: { type: 'input_file', file_data: pdfUrl, filename: 'a.pdf' },
      }),
    },
    {
      title: 'A PDF by URL',
      forms: asked({
        [chat]: { type: 'file', file: { file_data: 'https://a.example/b.pdf' } },
        messages: { type: 'document', source: { type: 'url', url: 'https://a.example/b.pdf' } },
        responses: { type: 'input_file', file_url: 'https://a.example/b.pdf' },
      }),
    },
    {
      title: 'An uploaded file',
      forms: asked({
        [chat]: { type: 'file', file: { file_id: 'file_1' } },
        messages: { type: 'document', source: { type: 'file', file_id: 'file_1' } },
        responses: { type: 'input_file', file_id: 'file_1' },
      }),
    },
    {
      title: 'A document whose passages are to be cited',
      forms: asked({
        messages: {
          type: 'document',
          source: { type: 'text', media_type: 'text/plain', data: 'Rain.' },
          citations: { enabled: true },
        },
      }),
    },
    {
      title: 'Audio',
      forms: asked({
        [chat]: { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
        responses: { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
      }),
    },
    {
      title: 'Audio without a text',
      forms: {
        [chat]: {
          messages: [user([{ type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } }])],
        },
        responses: {
          input: [user([{ type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } }])],
        },
      },
    },
    {
      title: 'The names of participants',
      forms: { [chat]: { messages: [{ ...user('Hi'), name: 'Ann' }] } },
    },
    {
      title: 'A refusal of an earlier turn',
      forms: {
        [chat]: { messages: [user('Hi'), assistant(null, { refusal: 'No.' }), user('Why?')] },
        responses: {
          input: [user('Hi'), assistant([{ type: 'refusal', refusal: 'No.' }]), user('Why?')],
        },
      },
    },
    {
      title: 'An empty conversation',
      forms: { [chat]: { messages: [] }, messages: { messages: [] }, responses: { input: [] } },
    },
    {
      title: 'A conversation that the provider stores',
      forms: { responses: { previous_response_id: 'resp_1' } },
    },
    {
      title: 'An item that the provider stores',
      forms: { responses: { input: [user('Hi'), { type: 'item_reference', id: 'msg_1' }] } },
    },
  ],
  Tools: [
    { title: 'Function tools', forms: withTools({ [chat]: {}, messages: {}, responses: {} }) },
    {
      title: 'Strict schemas',
      forms: {
        [chat]: { tools: [functions({ strict: true })[chat]] },
        messages: { tools: [functions({ strict: true }).messages] },
        responses: { tools: [functions({ strict: true }).responses] },
      },
    },
    {
      title: 'Enforcing a strict schema with optional properties',
      forms: without(withParameters(optionalSchema, { strict: true }), chat, 'responses'),
    },
    {
      title: 'Enforcing limits in a strict schema, such as `minimum`',
      forms: without(withParameters(limitedSchema, { strict: true }), 'messages'),
    },
    {
      title: 'Enforcing a strict schema that is recursive',
      forms: without(withParameters(recursiveSchema, { strict: true }), 'messages'),
    },
    {
      title: 'Schemas without properties',
      forms: without(withParameters({ type: 'object' }), chat, 'responses'),
      others: withParameters({ type: 'object', properties: {} }),
    },
    {
      title: 'Alternatives at the root of a schema',
      forms: without(withParameters({ ...openSchema, anyOf: [{ required: ['city'] }] }), 'messages'),
    },
    {
      title: 'Names of more than 64 characters',
      forms: {
        messages: {
          tools: [{ name: longName, input_schema: schema }],
          tool_choice: { type: 'tool', name: longName },
          messages: [
            user('Weather?'),
            assistant([toolUse('call_1', longName, {})]),
            user([result('call_1', 'Sun')]),
          ],
        },
      },
      others: {
        [chat]: {
          tools: [{ type: 'function', function: { name: shortName, parameters: schema } }],
          tool_choice: { type: 'function', function: { name: shortName } },
          messages: [user('Weather?'), { tool_calls: [call('call_1', shortName, '{}')] }],
        },
        responses: {
          tools: [{ type: 'function', name: shortName, parameters: schema }],
          tool_choice: { type: 'function', name: shortName },
          input: [user('Weather?'), functionCall('call_1', shortName, '{}')],
        },
      },
    },
    {
      title: 'Any tool has to be called',
      forms: withTools({
        [chat]: { tool_choice: 'required' },
        messages: { tool_choice: { type: 'any' } },
        responses: { tool_choice: 'required' },
      }),
    },
    {
      title: 'One tool has to be called',
      forms: withTools({
        [chat]: { tool_choice: { type: 'function', function: { name: 'weather' } } },
        messages: { tool_choice: { type: 'tool', name: 'weather' } },
        responses: { tool_choice: { type: 'function', name: 'weather' } },
      }),
    },
    {
      title: 'No tool may be called',
      forms: withTools({
        [chat]: { tool_choice: 'none' },
        messages: { tool_choice: { type: 'none' } },
        responses: { tool_choice: 'none' },
      }),
    },
    {
      title: 'One call at a time',
      forms: withTools({
        [chat]: { parallel_tool_calls: false },
        messages: { tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
        responses: { parallel_tool_calls: false },
      }),
    },
    {
      title: 'Custom tools with free text',
      forms: {
        [chat]: { tools: [{ type: 'custom', custom: { name: 'patch' } }] },
        responses: { tools: [{ type: 'custom', name: 'patch' }] },
      },
      others: {
        messages: { tools: [{ name: 'patch', input_schema: { properties: { input: { type: 'string' } } } }] },
      },
    },
    {
      title: 'The grammar of a custom tool',
      forms: {
        [chat]: {
          tools: [
            {
              type: 'custom',
              custom: {
                name: 'patch',
                format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "x"' } },
              },
            },
          ],
        },
        responses: {
          tools: [
            {
              type: 'custom',
              name: 'patch',
              format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' },
            },
          ],
        },
      },
    },
    {
      title: 'Tools in a namespace',
      forms: {
        responses: {
          tools: [
            {
              type: 'namespace',
              name: 'files',
              description: '',
              tools: [{ type: 'function', name: 'read', parameters: schema }],
            },
          ],
        },
      },
      others: {
        [chat]: { tools: [{ type: 'function', function: { name: 'files__read', parameters: schema } }] },
        messages: { tools: [{ name: 'files__read', input_schema: schema }] },
      },
    },
    {
      title: 'Tools that the provider runs',
      forms: { responses: { tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] } },
    },
    {
      title: 'A tool that the provider runs has to be called',
      forms: {
        responses: {
          tools: [functions().responses, { type: 'web_search' }],
          tool_choice: { type: 'web_search' },
        },
      },
    },
    {
      title: 'Only some tools may be called',
      forms: {
        [chat]: {
          tools: [functions()[chat]],
          tool_choice: {
            type: 'allowed_tools',
            allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'weather' } }] },
          },
        },
        responses: {
          tools: [functions().responses],
          tool_choice: {
            type: 'allowed_tools',
            mode: 'auto',
            tools: [{ type: 'function', name: 'weather' }],
          },
        },
      },
    },
    {
      title: 'Loading tools only when the model searches for them',
      forms: {
        messages: {
          tools: [
            { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' },
            functions({ defer_loading: true }).messages,
          ],
        },
        responses: { tools: [{ type: 'tool_search' }, functions({ defer_loading: true }).responses] },
      },
    },
  ],
  'Tool results': [
    {
      title: 'Parallel calls and their results, before what the user adds',
      forms: {
        [chat]: {
          messages: [
            user('Weather?'),
            assistant('I look.', {
              tool_calls: [call('call_1', 'weather', '{"city":"Bonn"}'), call('call_2', 'clock', '{}')],
            }),
            { role: 'tool', tool_call_id: 'call_1', content: 'Sun' },
            { role: 'tool', tool_call_id: 'call_2', content: '12:00' },
            user('Hurry.'),
          ],
        },
        messages: {
          messages: [
            user('Weather?'),
            assistant([
              text('I look.'),
              toolUse('call_1', 'weather', { city: 'Bonn' }),
              toolUse('call_2', 'clock', {}),
            ]),
            user([result('call_1', 'Sun'), result('call_2', '12:00'), text('Hurry.')]),
          ],
        },
        responses: {
          input: [
            user('Weather?'),
            assistant('I look.'),
            functionCall('call_1', 'weather', '{"city":"Bonn"}'),
            functionCall('call_2', 'clock', '{}'),
            output('call_1', 'Sun'),
            output('call_2', '12:00'),
            user('Hurry.'),
          ],
        },
      },
    },
    {
      title: 'JSON',
      forms: returned({
        [chat]: '{"sun":true}',
        messages: '{"sun":true}',
        responses: '{"sun":true}',
      }),
    },
    {
      title: 'An image',
      forms: returned({
        messages: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } }],
        responses: [{ type: 'input_image', image_url: pngUrl }],
      }),
      others: returned({ [chat]: '' }, {}, [user([{ type: 'image_url', image_url: { url: pngUrl } }])]),
    },
    { title: 'An error', forms: returned({ messages: 'It failed.' }, { is_error: true }) },
  ],
  Reasoning: [
    {
      title: 'Effort',
      forms: {
        [chat]: { reasoning_effort: 'high' },
        messages: { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } },
        responses: { reasoning: { effort: 'high' } },
      },
    },
    {
      title: 'A budget of tokens',
      forms: {
        [chat]: { reasoning: { max_tokens: 2_000 }, max_completion_tokens: 9_000 },
        messages: { thinking: { type: 'enabled', budget_tokens: 2_000 }, max_tokens: 9_000 },
      },
    },
    {
      title: 'Visible summaries',
      forms: {
        messages: { thinking: { type: 'adaptive', display: 'summarized' } },
        responses: { reasoning: { summary: 'auto' } },
      },
    },
    {
      title: 'Switched off',
      forms: {
        messages: { thinking: { type: 'disabled' } },
      },
    },
  ],
  Output: [
    {
      title: 'A JSON schema',
      forms: {
        [chat]: {
          response_format: { type: 'json_schema', json_schema: { name: 'response', schema, strict: true } },
        },
        messages: { output_config: { format: { type: 'json_schema', schema } } },
        responses: { text: { format: { type: 'json_schema', name: 'response', schema, strict: true } } },
      },
    },
    {
      title: 'A JSON schema that is not strict',
      forms: without(withFormat(openSchema), 'messages'),
      others: { messages: { output_config: { format: { type: 'json_schema', schema } } } },
    },
    {
      title: 'Enforcing a JSON schema with optional properties',
      forms: without(withFormat(optionalSchema), chat, 'responses'),
    },
    {
      title: 'Enforcing limits in a JSON schema, such as `minimum`',
      forms: without(withFormat(limitedSchema, { strict: true }), 'messages'),
    },
    {
      title: 'A recursive JSON schema',
      forms: without(withFormat(recursiveSchema, { strict: true }), 'messages'),
    },
    {
      title: 'JSON without a schema',
      forms: {
        [chat]: { response_format: { type: 'json_object' } },
        responses: { text: { format: { type: 'json_object' } } },
      },
    },
    {
      title: 'A token limit',
      forms: {
        [chat]: { max_completion_tokens: 99 },
        messages: { max_tokens: 99 },
        responses: { max_output_tokens: 99 },
      },
    },
    { title: 'Temperature', forms: everywhere({ temperature: 0.5 }) },
    { title: '`top_p`', forms: everywhere({ top_p: 0.9 }) },
    { title: '`top_k`', forms: everywhere({ top_k: 40 }) },
    { title: 'A seed', forms: { [chat]: { seed: 4 } } },
    {
      title: 'Penalties',
      forms: {
        [chat]: { frequency_penalty: 0.5, presence_penalty: 0.5 },
        responses: { frequency_penalty: 0.5, presence_penalty: 0.5 },
      },
    },
    { title: 'Biases of tokens', forms: { [chat]: { logit_bias: { 5: 1 } } } },
    {
      title: 'Stop sequences',
      forms: {
        [chat]: { stop: ['END', 'STOP'] },
        messages: { stop_sequences: ['END', 'STOP'] },
        responses: { stop: ['END', 'STOP'] },
      },
    },
    {
      title: 'Verbosity',
      forms: { [chat]: { verbosity: 'low' }, responses: { text: { verbosity: 'low' } } },
    },
    { title: 'Several choices (`n`)', forms: { [chat]: { n: 2 } } },
    {
      title: 'Probabilities of tokens',
      forms: {
        [chat]: { logprobs: true, top_logprobs: 2 },
        responses: { include: ['message.output_text.logprobs'], top_logprobs: 2 },
      },
    },
  ],
  'Prompt caching': [
    {
      title: 'A breakpoint at a text',
      forms: asked({
        [chat]: { ...text('Hi'), ...cached },
        messages: { ...text('Hi'), ...cached },
      }),
    },
    {
      title: 'A breakpoint at a tool',
      forms: {
        messages: { tools: [{ ...functions().messages, ...cached }] },
      },
    },
    {
      title: 'The key of a cache',
      forms: { [chat]: { prompt_cache_key: 'k' }, responses: { prompt_cache_key: 'k' } },
    },
  ],
  Accounting: [
    {
      title: 'The end user',
      forms: { [chat]: { user: 'u' }, messages: { metadata: { user_id: 'u' } }, responses: { user: 'u' } },
    },
    {
      title: 'Metadata',
      forms: { [chat]: { metadata: { team: 'a' } }, responses: { metadata: { team: 'a' } } },
    },
    {
      title: 'Storing the response',
      forms: { [chat]: { store: true }, responses: { store: true } },
    },
  ],
};

const usages: Readonly<Record<Dialect, JsonObject>> = {
  [chat]: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 },
  messages: { input_tokens: 9, output_tokens: 2 },
  responses: { input_tokens: 9, output_tokens: 2, total_tokens: 11 },
};

const completion = (message: JsonObject, finish_reason = 'stop', more: JsonObject = {}) => ({
  choices: [{ message, finish_reason, ...more }],
});
const said = (value: string, annotations: readonly JsonObject[] = [], more: JsonObject = {}) => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text: value, annotations, ...more }],
});
const usage = (forms: Readonly<Record<Dialect, JsonObject>>): Forms => ({
  [chat]: { usage: forms[chat] },
  messages: { usage: forms.messages },
  responses: { usage: forms.responses },
});
const summaryOf = (value: string) => [{ type: 'summary_text', text: value }];
const url = 'https://a.example/b';
const logprob = { token: 'Hi', logprob: -0.5, bytes: [72, 105], top_logprobs: [] };

/** Features of upstream responses, in groups. */
export const responseFeatures: Readonly<Record<string, readonly Feature[]>> = {
  Content: [
    {
      title: 'Text',
      forms: {
        [chat]: completion({ content: 'Hi' }),
        messages: { content: [text('Hi')] },
        responses: { output: [said('Hi')] },
      },
    },
    {
      title: 'A cited web page',
      forms: {
        [chat]: completion({
          content: 'Rain',
          annotations: [{ type: 'url_citation', url_citation: { url, title: 'A' } }],
        }),
        messages: {
          content: [
            { ...text('Rain'), citations: [{ type: 'web_search_result_location', url, title: 'A' }] },
          ],
        },
        responses: { output: [said('Rain', [{ type: 'url_citation', url, title: 'A' }])] },
      },
    },
    {
      title: 'A cited passage of a document',
      forms: {
        messages: {
          content: [
            {
              ...text('Rain'),
              citations: [
                {
                  type: 'char_location',
                  cited_text: 'Rain.',
                  document_index: 0,
                  document_title: 'A',
                  start_char_index: 0,
                  end_char_index: 5,
                },
              ],
            },
          ],
        },
      },
    },
    {
      title: 'A refusal in words',
      forms: {
        [chat]: completion({ content: null, refusal: 'No.' }),
        responses: { output: [{ type: 'message', content: [{ type: 'refusal', refusal: 'No.' }] }] },
      },
      others: { messages: { content: [text('No.')], stop_reason: 'refusal' } },
    },
    {
      title: 'Audio',
      forms: {
        [chat]: completion({
          content: null,
          audio: { id: 'audio_1', data: 'UklGRg==', expires_at: 1, transcript: 'Hi' },
        }),
      },
    },
    {
      title: 'Images',
      forms: {
        [chat]: completion({
          content: 'Look',
          images: [{ type: 'image_url', image_url: { url: pngUrl } }],
        }),
        responses: {
          output: [{ id: 'ig_1', type: 'image_generation_call', status: 'completed', result: png }],
        },
      },
    },
    {
      title: 'What tools of the provider did',
      forms: {
        messages: {
          content: [
            { type: 'server_tool_use', id: 'server_tool_1', name: 'web_search', input: { query: 'rain' } },
            text('Rain'),
          ],
        },
        responses: {
          output: [{ id: 'ws_1', type: 'web_search_call', status: 'completed' }, said('Rain')],
        },
      },
    },
  ],
  'Tool calls': [
    {
      title: 'Parallel calls, after text',
      forms: {
        [chat]: completion(
          {
            content: 'I look.',
            tool_calls: [call('call_1', 'weather', '{"city":"Bonn"}'), call('call_2', 'clock', '{}')],
          },
          'tool_calls',
        ),
        messages: {
          content: [
            text('I look.'),
            toolUse('call_1', 'weather', { city: 'Bonn' }),
            toolUse('call_2', 'clock', {}),
          ],
          stop_reason: 'tool_use',
        },
        responses: {
          output: [
            said('I look.'),
            functionCall('call_1', 'weather', '{"city":"Bonn"}'),
            functionCall('call_2', 'clock', '{}'),
          ],
        },
      },
    },
    {
      title: 'A call without arguments',
      forms: {
        [chat]: ['', '{}'].map((text) =>
          completion({ tool_calls: [call('call_1', 'clock', text)] }, 'tool_calls'),
        ),
        messages: { content: [toolUse('call_1', 'clock', {})], stop_reason: 'tool_use' },
        responses: ['', '{}'].map((text) => ({ output: [functionCall('call_1', 'clock', text)] })),
      },
    },
    {
      title: 'Arguments that are not a JSON object',
      forms: {
        [chat]: completion({ tool_calls: [call('call_1', 'weather', '{"city":')] }, 'tool_calls'),
        responses: { output: [functionCall('call_1', 'weather', '{"city":')] },
      },
    },
    {
      title: 'Calls of custom tools',
      forms: {
        [chat]: completion(
          { tool_calls: [{ id: 'call_1', type: 'custom', custom: { name: 'patch', input: '*** x' } }] },
          'tool_calls',
        ),
        messages: { content: [toolUse('call_1', 'patch', { input: '*** x' })], stop_reason: 'tool_use' },
        responses: {
          output: [{ type: 'custom_tool_call', call_id: 'call_1', name: 'patch', input: '*** x' }],
        },
      },
    },
  ],
  Reasoning: [
    {
      title: 'Visible text',
      forms: {
        [chat]: completion({ content: 'Hi', reasoning: 'Hmm.' }),
        messages: [
          { content: [{ type: 'thinking', thinking: 'Hmm.', signature: 'sig' }, text('Hi')] },
          { content: [{ type: 'thinking', thinking: 'Hmm.' }, text('Hi')] },
        ],
        responses: [
          { output: [{ id: 'rs_1', type: 'reasoning', summary: summaryOf('Hmm.') }, said('Hi')] },
          { output: [{ type: 'reasoning', summary: summaryOf('Hmm.') }, said('Hi')] },
          {
            output: [{ type: 'reasoning', content: [{ type: 'reasoning_text', text: 'Hmm.' }] }, said('Hi')],
          },
        ],
      },
    },
  ],
  'Why it stopped': [
    {
      title: 'It was done',
      forms: {
        [chat]: completion({ content: 'Hi' }, 'stop'),
        messages: { content: [text('Hi')], stop_reason: 'end_turn' },
        responses: { output: [said('Hi')], status: 'completed' },
      },
    },
    {
      title: 'It reached the token limit',
      forms: {
        [chat]: completion({ content: 'Hi' }, 'length'),
        messages: { content: [text('Hi')], stop_reason: 'max_tokens' },
        responses: {
          output: [said('Hi')],
          status: 'incomplete',
          incomplete_details: { reason: 'max_output_tokens' },
        },
      },
    },
    {
      title: 'A filter stopped it',
      forms: {
        [chat]: completion({ content: 'Hi' }, 'content_filter'),
        messages: { content: [text('Hi')], stop_reason: 'refusal' },
        responses: {
          output: [said('Hi')],
          status: 'incomplete',
          incomplete_details: { reason: 'content_filter' },
        },
      },
    },
    {
      title: 'It wrote a stop sequence, and which one',
      forms: { messages: { content: [text('Hi')], stop_reason: 'stop_sequence', stop_sequence: 'END' } },
    },
    {
      title: 'It paused and can be continued',
      forms: { messages: { content: [text('Hi')], stop_reason: 'pause_turn' } },
    },
  ],
  Usage: [
    { title: 'Input and output tokens', forms: usage(usages) },
    {
      title: 'Tokens read from the cache and written to it',
      forms: usage({
        [chat]: {
          prompt_tokens: 120,
          completion_tokens: 2,
          prompt_tokens_details: { cached_tokens: 100, cache_write_tokens: 10 },
        },
        messages: {
          input_tokens: 10,
          cache_read_input_tokens: 100,
          cache_creation_input_tokens: 10,
          output_tokens: 2,
        },
        responses: {
          input_tokens: 120,
          input_tokens_details: { cached_tokens: 100, cache_write_tokens: 10 },
          output_tokens: 2,
        },
      }),
    },
    {
      title: 'Reasoning tokens',
      forms: usage({
        [chat]: { ...usages[chat], completion_tokens_details: { reasoning_tokens: 1 } },
        messages: { ...usages.messages, output_tokens_details: { thinking_tokens: 1 } },
        responses: { ...usages.responses, output_tokens_details: { reasoning_tokens: 1 } },
      }),
    },
    {
      title: 'The cost',
      forms: usage({
        [chat]: { ...usages[chat], cost: 0.25 },
        messages: { ...usages.messages, cost: 0.25 },
        responses: { ...usages.responses, cost: 0.25 },
      }),
    },
  ],
  'Identity and details': [
    {
      title: 'The id, with the prefix of the dialect',
      forms: {
        [chat]: { id: 'chatcmpl-7' },
        messages: { id: 'msg_7' },
        responses: { id: 'resp_7' },
      },
    },
    { title: 'The model', forms: everywhere({ model: 'model-2026' }) },
    { title: '`system_fingerprint`', forms: { [chat]: { system_fingerprint: 'fp_1' } } },
    {
      title: 'Probabilities of tokens',
      forms: {
        [chat]: completion({ content: 'Hi' }, 'stop', { logprobs: { content: [logprob], refusal: null } }),
        responses: { output: [said('Hi', [], { logprobs: [logprob] })] },
      },
    },
    {
      title: 'Several choices (`n`)',
      forms: {
        [chat]: {
          choices: [
            { index: 0, message: { content: 'Hi' }, finish_reason: 'stop' },
            { index: 1, message: { content: 'Hello' }, finish_reason: 'stop' },
          ],
        },
      },
    },
  ],
};

/**
 * Reasoning that has to come back to its provider exactly as it was sent, by the dialect of the
 * provider: a part of a message for chat completions, otherwise a part of the list.
 */
export const returnedReasoning: readonly {
  readonly title: string;
  readonly upstream: Dialect;
  readonly part: JsonObject;
}[] = [
  {
    title: 'Signed thinking',
    upstream: 'messages',
    part: { type: 'thinking', thinking: 'Zürich 🙂', signature: 'EqQBCgIYAhIM+/=' },
  },
  {
    title: 'Empty but signed thinking',
    upstream: 'messages',
    part: { type: 'thinking', thinking: '', signature: 'EqQB' },
  },
  {
    title: 'Redacted thinking',
    upstream: 'messages',
    part: { type: 'redacted_thinking', data: 'EmwKAhgB' },
  },
  {
    title: 'Encrypted reasoning with a summary',
    upstream: 'responses',
    part: { id: 'rs_1', type: 'reasoning', summary: summaryOf('Hmm.'), encrypted_content: 'gAAA' },
  },
  {
    title: 'Encrypted reasoning alone',
    upstream: 'responses',
    part: { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'gAAA' },
  },
  {
    title: '`reasoning_content` of DeepSeek and vLLM',
    upstream: chat,
    part: { reasoning_content: 'Hmm.' },
  },
  {
    title: "Signatures of Gemini's tool calls",
    upstream: chat,
    part: {
      tool_calls: [
        {
          ...call('call_1', 'weather', '{}'),
          extra_content: { google: { thought_signature: 'AY89a1==' } },
        },
        call('call_2', 'clock', '{}'),
      ],
    },
  },
  {
    title: '`reasoning_details` of OpenRouter',
    upstream: chat,
    part: {
      reasoning_details: [
        { type: 'reasoning.text', text: 'Hmm.', signature: 'sig', format: 'anthropic-claude-v1', index: 0 },
      ],
    },
  },
];

/** An error of an upstream in each dialect. */
export const errors: Readonly<Record<Dialect, JsonObject>> = {
  [chat]: { error: { message: 'Slow down.', type: 'rate_limit_exceeded', code: 'rate_limit_exceeded' } },
  messages: { type: 'error', error: { type: 'rate_limit_error', message: 'Slow down.' } },
  responses: { error: { message: 'Slow down.', type: 'rate_limit_exceeded', code: 'rate_limit_exceeded' } },
};
