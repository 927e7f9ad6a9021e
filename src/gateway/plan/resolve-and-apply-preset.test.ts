import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/json/json-object.ts';
import { type Dialect, type DraftVersion, dialects } from '../../core/presets/preset.ts';
import type { Policy } from '../../dialects/presets/extension/policy.ts';
import { translateConfig } from '../../dialects/translate/translate-config.ts';
import { type Call, type CallTrace, createTrace } from '../call.ts';
import { type AppliedCall, resolveAndApplyPreset } from './resolve-and-apply-preset.ts';

const pairs = dialects.flatMap((from) => dialects.map((to) => [from, to] as const));

function versionOf(dialect: Dialect, config: JsonObject = {}, policy?: Policy): DraftVersion {
  return {
    version: 'draft',
    dialect,
    configJson: JSON.stringify({ model: 'vendor/model', ...config }),
    systemPrompt: 'PRESET',
    extensionJson: policy === undefined ? null : JSON.stringify({ policy }),
  };
}

/** Applies a version to a call in one dialect and returns what an upstream of another would get. */
function send(dialect: Dialect, upstreamDialect: Dialect, request: JsonObject, version: DraftVersion) {
  const given = { model: '@preset/a', ...request };
  const trace = createTrace();
  const call = { dialect, body: given, caller: { presets: null }, trace } as unknown as Call;
  const applied = resolveAndApplyPreset(call, () => ({ slug: 'a', version })) as AppliedCall;
  const { body, droppedFields } = dialect === upstreamDialect ? applied : applied.translate(upstreamDialect);
  return { body, droppedFields, trace };
}

type Role = 'system' | 'developer' | 'user' | 'assistant';
const roles: readonly Role[] = ['system', 'developer', 'user', 'assistant'];

/** All sequences of up to four roles, some of which no provider accepts. */
const sequences: readonly (readonly Role[])[] = [0, 1, 2, 3, 4].flatMap(sequencesOf);

function sequencesOf(length: number): readonly (readonly Role[])[] {
  if (length === 0) return [[]];
  return sequencesOf(length - 1).flatMap((sequence) => roles.map((role) => [...sequence, role]));
}

const isInstruction = (role: Role | undefined) => role === 'system' || role === 'developer';

/** A conversation in which each message says its role and its position, such as `system-0`. */
function conversation(dialect: Dialect, sequence: readonly Role[], field?: string | null): JsonObject {
  const messages = sequence.map((role, index) => ({ role, content: `${role}-${index}` }));
  if (dialect === 'chat-completions') return { messages };
  if (dialect === 'messages') return { messages, ...(field !== undefined && { system: field }) };
  return { input: messages, ...(field !== undefined && { instructions: field }) };
}

/** Every text of a request that is for the model, in order. */
function textsOf({ system, instructions, messages, input }: JsonObject): readonly string[] {
  const text = JSON.stringify([system, instructions, messages, input]);
  return text.match(/PRESET|FIELD|(?:system|developer|user|assistant)-\d/g) ?? [];
}

function reportOf({ overriddenFields, policyFields }: CallTrace) {
  return [
    ...overriddenFields.filter((name) => name === 'system_prompt'),
    ...policyFields.filter(({ name }) => name === 'system_prompt').map(({ winner }) => winner),
  ];
}

/** The field of the dialect in front of all messages; undefined if it is absent. */
const fields: Readonly<Record<Dialect, readonly (string | null | undefined)[]>> = {
  'chat-completions': [undefined],
  messages: [undefined, 'FIELD', '', ' ', null],
  responses: [undefined, 'FIELD', '', ' ', null],
};

interface Conversation {
  readonly request: JsonObject;
  /** The texts of a conversation, without the empty ones. */
  readonly texts: readonly string[];
  /** How many of them are its own system prompt. */
  readonly leading: number;
  /** Whether it has a prompt, which may be empty, or removes the preset's by null. */
  readonly hasPrompt: boolean;
  readonly hasInstruction: boolean;
}

function conversationsOf(dialect: Dialect): readonly Conversation[] {
  return sequences.flatMap((sequence) =>
    fields[dialect].slice(0, sequence.length > 2 ? 1 : undefined).map((field) => {
      const start = sequence.findIndex((role) => !isInstruction(role));
      const inField = field === 'FIELD' ? [field] : [];
      return {
        request: conversation(dialect, sequence, field),
        texts: [...inField, ...sequence.map((role, index) => `${role}-${index}`)],
        leading: inField.length + (start === -1 ? sequence.length : start),
        hasPrompt: field !== undefined || isInstruction(sequence[0]),
        hasInstruction: field !== undefined || sequence.some(isInstruction),
      };
    }),
  );
}

describe.each(pairs)('a %s call to a %s upstream', (from, to) => {
  /** Everything that was sent other than expected. */
  function mismatches(
    policy: Policy | undefined,
    expected: (given: Conversation) => { readonly texts: readonly unknown[]; readonly report: unknown },
  ) {
    const version = versionOf(to, {}, policy);
    return conversationsOf(from).flatMap((given) => {
      const wanted = expected(given);
      // A request in which nothing is left is rejected.
      if (wanted.texts.length === 0) return [];
      const sent = send(from, to, given.request, version);
      const actual = { texts: textsOf(sent.body), report: reportOf(sent.trace) };
      return isDeepStrictEqual(actual, wanted) ? [] : [{ request: given.request, actual, wanted }];
    });
  }

  it("sends the preset's system prompt unless the conversation starts with another", () => {
    const expected = ({ texts, hasPrompt }: Conversation) =>
      hasPrompt ? { texts, report: ['system_prompt'] } : { texts: ['PRESET', ...texts], report: [] };
    expect(mismatches(undefined, expected)).toEqual([]);
  });

  it.each(['prepend', 'append'] as const)("adds the preset's system prompt to the start (%s)", (mode) => {
    const version = versionOf(to, {}, { system_prompt: mode });
    for (const { request, texts, leading, hasPrompt } of conversationsOf(from)) {
      const sent = send(from, to, request, version);
      const sentTexts = textsOf(sent.body);
      const position = sentTexts.indexOf('PRESET');
      const [first, last] = mode === 'prepend' ? [0, 0] : [Math.min(leading, 1), leading];
      // A field with nothing but spaces is still a field that the text is added to.
      const isBlank = Object.values(request).includes(' ');
      const winner = leading > 0 || isBlank ? 'both' : 'preset';
      const isFine =
        isDeepStrictEqual(sentTexts.toSpliced(position, 1), texts) &&
        position >= (isBlank ? 0 : first) &&
        position <= last &&
        isDeepStrictEqual(reportOf(sent.trace), hasPrompt ? [winner] : []);
      if (!isFine) expect({ request, sentTexts, report: reportOf(sent.trace) }).toBe('as expected');
    }
  });

  it("sends no system text but the preset's if it is locked", () => {
    const expected = ({ texts, hasInstruction }: Conversation) => ({
      texts: ['PRESET', ...texts.filter((text) => /^(?:user|assistant)/.test(text))],
      report: hasInstruction ? ['preset'] : [],
    });
    expect(mismatches({ system_prompt: 'lock' }, expected)).toEqual([]);
  });

  it('removes what the request sets to null from the preset, and reports just that', () => {
    const config = completeConfigs[from];
    const version = versionOf(from, config);
    for (const name of Object.keys(config)) {
      const { body, trace } = send(from, to, { [name]: null }, version);
      const { [name]: _, ...others } = config;
      expect([name, body]).toEqual([name, send(from, to, {}, versionOf(from, others)).body]);
      expect([name, trace.overriddenFields]).toEqual([name, [name]]);
    }
  });
});

/** Settings that all dialects have. */
const completeConfigs: Readonly<Record<Dialect, JsonObject>> = {
  'chat-completions': {
    temperature: 0.5,
    max_completion_tokens: 5_000,
    stop: ['END'],
    tools: [{ type: 'function', function: { name: 'find', parameters: { type: 'object' } } }],
    reasoning: { effort: 'high' },
    response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } },
    verbosity: 'low',
  },
  messages: {
    temperature: 1,
    max_tokens: 5_000,
    stop_sequences: ['END'],
    tools: [{ name: 'find', input_schema: { type: 'object' } }],
    thinking: { type: 'enabled', budget_tokens: 2_000 },
    output_config: { format: { type: 'json_schema', schema: { type: 'object' } } },
  },
  responses: {
    temperature: 0.5,
    max_output_tokens: 5_000,
    tools: [{ type: 'function', name: 'find', parameters: { type: 'object' }, strict: false }],
    reasoning: { effort: 'high' },
    text: { format: { type: 'json_object' }, verbosity: 'low' },
  },
};

it.each<[string, Dialect, JsonObject, JsonObject, Dialect, JsonObject]>([
  [
    'keeps what another part of the same field says',
    'chat-completions',
    { verbosity: 'low', response_format: { type: 'json_object' } },
    { response_format: { type: 'text' } },
    'responses',
    { text: { verbosity: 'low', format: { type: 'text' } } },
  ],
  [
    'replaces a field as a whole if the client has it as a whole',
    'messages',
    { output_config: { effort: 'low', format: { type: 'json_schema', schema: { type: 'object' } } } },
    { output_config: { effort: 'high' } },
    'responses',
    { reasoning: { effort: 'high' } },
  ],
  [
    'replaces a field with a default that is not translated',
    'chat-completions',
    { frequency_penalty: 1, service_tier: 'flex' },
    { frequency_penalty: 0, service_tier: 'auto' },
    'responses',
    {},
  ],
  [
    'does not reason if the request turns reasoning off, which is not translated',
    'messages',
    { thinking: { type: 'enabled', budget_tokens: 2_000 } },
    { thinking: { type: 'disabled' } },
    'responses',
    {},
  ],
  [
    'keeps the choice of a tool if only its parallel calls are removed',
    'chat-completions',
    {
      tools: [{ type: 'function', function: { name: 'find' } }],
      tool_choice: 'required',
      parallel_tool_calls: false,
    },
    { parallel_tool_calls: null },
    'messages',
    {
      tools: [{ name: 'find', input_schema: { type: 'object', properties: {} } }],
      tool_choice: { type: 'any' },
    },
  ],
  [
    "keeps the preset's tools if the request has an empty list",
    'chat-completions',
    { tools: [{ type: 'function', function: { name: 'find' } }] },
    { tools: [] },
    'messages',
    { tools: [{ name: 'find', input_schema: { type: 'object', properties: {} } }] },
  ],
])('a translated call %s', (_title, from, config, request, to, expected) => {
  for (const version of [versionOf(from, config), versionOf(to, translateConfig(config, from, to).config)]) {
    const { body } = send(from, to, { ...conversation(from, ['user']), ...request }, version);
    const empty = send(from, to, conversation(from, ['user']), versionOf(to)).body;
    const { include: _, ...sent } = body;
    expect(sent).toEqual({ ...empty, ...expected });
  }
});

it('a translated call replaces a part of a field that its own dialect cannot express', () => {
  const schema = { type: 'object', properties: {}, required: [], additionalProperties: false };
  const request = {
    ...conversation('messages', ['user']),
    output_config: { format: { type: 'json_schema', schema } },
  };
  const version = versionOf('responses', { text: { format: { type: 'json_object' }, verbosity: 'low' } });
  expect(send('messages', 'responses', request, version).body.text).toMatchObject({
    format: { type: 'json_schema', schema },
    verbosity: 'low',
  });
});

it('a translated call reports what is lost of the request and of the preset', () => {
  const request = { ...conversation('chat-completions', ['user']), seed: 1 };
  const version = versionOf('chat-completions', { logit_bias: { 5: 1 } });
  const { droppedFields } = send('chat-completions', 'messages', request, version);
  expect(droppedFields).toEqual(['logit_bias', 'seed']);
});

it('a locked field survives a null in a translated call', () => {
  const version = versionOf('messages', { temperature: 0.5, max_tokens: 50 }, { locked: ['temperature'] });
  const request = { ...conversation('chat-completions', ['user']), temperature: null, max_tokens: null };
  const { body, trace } = send('chat-completions', 'messages', request, version);
  expect(body).toMatchObject({ temperature: 0.5 });
  expect(body.max_tokens).not.toBe(50);
  expect([trace.policyFields, trace.overriddenFields]).toEqual([
    [{ name: 'temperature', winner: 'preset' }],
    ['max_tokens'],
  ]);
});

it('a token limit that a translated call has to add is within the policy', () => {
  const request = conversation('chat-completions', ['user']);
  const bounded = versionOf('chat-completions', {}, { limits: { max_tokens: 60 } });
  expect(send('chat-completions', 'messages', request, bounded).body.max_tokens).toBe(60);
  const free = versionOf('chat-completions');
  expect(send('chat-completions', 'messages', request, free).body.max_tokens).toBeGreaterThan(60);
});

it('a translated call renders the preset with its variables', () => {
  const version = {
    ...versionOf('messages'),
    systemPrompt: 'Speak {{language}}.',
    extensionJson: JSON.stringify({ variables: { language: { type: 'string', default: 'German' } } }),
  };
  const request = {
    ...conversation('chat-completions', ['user']),
    prompt: { variables: { language: 'French' } },
  };
  expect(send('chat-completions', 'messages', request, version).body.system).toBe('Speak French.');
});
