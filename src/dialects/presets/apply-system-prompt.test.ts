import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/json/json-object.ts';
import { type Dialect, dialects } from '../../core/presets/preset.ts';
import { chatCompletionsRequest } from '../chat-completions/schema.ts';
import { messagesRequest } from '../messages/schema.ts';
import { responsesRequest } from '../responses/schema.ts';
import { applyPreset } from './apply-preset.ts';
import type { Policy } from './extension/policy.ts';

const chat = 'chat-completions';
const pairs = dialects.flatMap((from) => dialects.map((to) => [from, to] as const));
const modes = ['replace', 'prepend', 'append', 'lock'] as const;
type Mode = (typeof modes)[number];

function apply(
  from: Dialect,
  to: Dialect,
  mode: Mode,
  request: JsonObject,
  systemPrompt: string | null = 'Be terse.',
) {
  const policy: Policy = { system_prompt: mode };
  const extensionJson = JSON.stringify({ policy });
  return applyPreset(request, to, { dialect: from, configJson: '{}', systemPrompt, extensionJson });
}

const user = { role: 'user', content: 'Hello' };
const ours = { role: 'system', content: 'Be terse.' };
const theirs = { role: 'system', content: 'Rhyme.' };
const system = (content: unknown) => ({ role: 'system', content });
const developer = (content: unknown) => ({ role: 'developer', content });
const text = (value: string) => ({ type: 'text', text: value });

/** How each dialect sends one text as the system prompt. */
const withText: Readonly<Record<Dialect, (content: string) => JsonObject>> = {
  [chat]: (content) => ({ messages: [{ role: 'system', content }, user] }),
  messages: (content) => ({ messages: [user], system: content }),
  responses: (content) => ({ input: [user], instructions: content }),
};

const withoutText: Readonly<Record<Dialect, JsonObject>> = {
  [chat]: { messages: [user] },
  messages: { messages: [user] },
  responses: { input: [user] },
};

/** The system text sent for a request with the text "Rhyme.", and the reported policy fields. */
const outcomes: Readonly<Record<Mode, { sent: string; overridden: string[]; policy: object[] }>> = {
  replace: { sent: 'Rhyme.', overridden: ['system_prompt'], policy: [] },
  prepend: {
    sent: 'Be terse.\n\n\nRhyme.',
    overridden: [],
    policy: [{ name: 'system_prompt', winner: 'both' }],
  },
  append: {
    sent: 'Rhyme.\n\n\nBe terse.',
    overridden: [],
    policy: [{ name: 'system_prompt', winner: 'both' }],
  },
  lock: { sent: 'Be terse.', overridden: [], policy: [{ name: 'system_prompt', winner: 'preset' }] },
};

describe.each(pairs)('the system prompt of a %s preset in a %s request', (from, to) => {
  it.each(modes)('is sent alone if the request has none (%s)', (mode) => {
    expect(apply(from, to, mode, withoutText[to])).toEqual({
      body: withText[to]('Be terse.'),
      droppedFields: [],
      overriddenFields: [],
      policyFields: [],
    });
  });

  it.each(modes)('is combined with the text of the request as the policy says (%s)', (mode) => {
    const { sent, overridden, policy } = outcomes[mode];
    expect(apply(from, to, mode, withText[to]('Rhyme.'))).toEqual({
      body: withText[to](sent),
      droppedFields: [],
      overriddenFields: overridden,
      policyFields: policy,
    });
  });

  it.each(modes)('is sent once if the request repeats it (%s)', (mode) => {
    expect(apply(from, to, mode, withText[to]('Be terse.'))).toEqual({
      body: withText[to]('Be terse.'),
      droppedFields: [],
      overriddenFields: [],
      policyFields: [],
    });
  });

  it.each(modes)('a missing system prompt removes the text of the request only if locked (%s)', (mode) => {
    const request = withText[to]('Rhyme.');
    const isLocked = mode === 'lock';
    expect(apply(from, to, mode, request, null)).toEqual({
      body: isLocked ? withoutText[to] : request,
      droppedFields: [],
      overriddenFields: [],
      policyFields: isLocked ? [{ name: 'system_prompt', winner: 'preset' }] : [],
    });
  });
});

const cached = { ...text('Rhyme.'), cache_control: { type: 'ephemeral' } };

/** The request, and what `prepend`, `append` and `lock` make of it. */
const forms: readonly (readonly [string, Dialect, JsonObject, JsonObject, JsonObject, JsonObject])[] = [
  [
    'a developer message, which keeps its role',
    chat,
    { messages: [{ ...developer('Rhyme.'), name: 'a' }, user] },
    { messages: [{ ...developer('Be terse.\n\n\nRhyme.'), name: 'a' }, user] },
    { messages: [{ ...developer('Rhyme.\n\n\nBe terse.'), name: 'a' }, user] },
    { messages: [ours, user] },
  ],
  [
    'parts, which stay as they are',
    chat,
    { messages: [system([cached])] },
    { messages: [system([text('Be terse.'), cached])] },
    { messages: [system([cached, text('Be terse.')])] },
    { messages: [ours] },
  ],
  [
    'several messages, which stay as they are',
    chat,
    { messages: [theirs, developer('Now.'), user] },
    { messages: [ours, theirs, developer('Now.'), user] },
    { messages: [theirs, developer('Now.'), ours, user] },
    { messages: [ours, user] },
  ],
  [
    'messages within the conversation, which are not its beginning',
    chat,
    { messages: [theirs, user, developer('Now.')] },
    { messages: [system('Be terse.\n\n\nRhyme.'), user, developer('Now.')] },
    { messages: [system('Rhyme.\n\n\nBe terse.'), user, developer('Now.')] },
    { messages: [ours, user] },
  ],
  [
    'only a message within the conversation',
    chat,
    { messages: [user, theirs] },
    { messages: [ours, user, theirs] },
    { messages: [ours, user, theirs] },
    { messages: [ours, user] },
  ],
  [
    'an empty message',
    chat,
    { messages: [system(''), user] },
    { messages: [ours, user] },
    { messages: [ours, user] },
    { messages: [ours, user] },
  ],
  [
    'blocks, which stay as they are',
    'messages',
    { system: [cached] },
    { system: [text('Be terse.'), cached] },
    { system: [cached, text('Be terse.')] },
    { system: 'Be terse.' },
  ],
  [
    'only a message within the conversation',
    'messages',
    { messages: [user, theirs] },
    { messages: [user, theirs], system: 'Be terse.' },
    { messages: [user, theirs], system: 'Be terse.' },
    { messages: [user], system: 'Be terse.' },
  ],
  [
    'a system message only',
    'messages',
    { messages: [theirs, user] },
    { messages: [theirs, user], system: 'Be terse.' },
    { messages: [system('Rhyme.\n\n\nBe terse.'), user] },
    { messages: [user], system: 'Be terse.' },
  ],
  [
    'several system messages',
    'messages',
    { messages: [theirs, developer('Now.'), user] },
    { messages: [theirs, developer('Now.'), user], system: 'Be terse.' },
    { messages: [theirs, developer('Now.'), ours, user] },
    { messages: [user], system: 'Be terse.' },
  ],
  [
    'a system field and a system message',
    'messages',
    { messages: [user, theirs], system: 'Sing.' },
    { messages: [user, theirs], system: 'Be terse.\n\n\nSing.' },
    { messages: [user, theirs], system: 'Sing.\n\n\nBe terse.' },
    { messages: [user], system: 'Be terse.' },
  ],
  [
    'a null, which would remove the prompt without a policy',
    'messages',
    { system: null },
    { system: 'Be terse.' },
    { system: 'Be terse.' },
    { system: 'Be terse.' },
  ],
  [
    'a null and a system message',
    'messages',
    { system: null, messages: [theirs] },
    { system: 'Be terse.', messages: [theirs] },
    { messages: [system('Rhyme.\n\n\nBe terse.')] },
    { system: 'Be terse.', messages: [] },
  ],
  [
    'an empty text',
    'messages',
    { system: '' },
    { system: 'Be terse.' },
    { system: 'Be terse.' },
    { system: 'Be terse.' },
  ],
  [
    'a developer item only',
    'responses',
    { input: [developer([{ type: 'input_text', text: 'Rhyme.' }]), user] },
    { input: [developer([{ type: 'input_text', text: 'Rhyme.' }]), user], instructions: 'Be terse.' },
    {
      input: [
        developer([
          { type: 'input_text', text: 'Rhyme.' },
          { type: 'input_text', text: 'Be terse.' },
        ]),
        user,
      ],
    },
    { input: [user], instructions: 'Be terse.' },
  ],
  [
    'instructions and a system item',
    'responses',
    { input: [theirs, user], instructions: 'Sing.' },
    { input: [theirs, user], instructions: 'Be terse.\n\n\nSing.' },
    { input: [theirs, user], instructions: 'Sing.\n\n\nBe terse.' },
    { input: [user], instructions: 'Be terse.' },
  ],
  [
    'only an item within the conversation',
    'responses',
    { input: [user, developer('Rhyme.')] },
    { input: [user, developer('Rhyme.')], instructions: 'Be terse.' },
    { input: [user, developer('Rhyme.')], instructions: 'Be terse.' },
    { input: [user], instructions: 'Be terse.' },
  ],
  [
    'items of a conversation that has begun in an earlier response',
    'responses',
    { input: [theirs, user], previous_response_id: 'a' },
    { input: [theirs, user], previous_response_id: 'a', instructions: 'Be terse.' },
    { input: [theirs, user], previous_response_id: 'a', instructions: 'Be terse.' },
    { input: [user], previous_response_id: 'a', instructions: 'Be terse.' },
  ],
  [
    'a fallback with a prompt of its own',
    'messages',
    { messages: [user], fallbacks: [{ model: 'b', system: 'Rhyme.' }, 'c'] },
    { messages: [user], fallbacks: [{ model: 'b', system: 'Rhyme.' }, 'c'], system: 'Be terse.' },
    { messages: [user], fallbacks: [{ model: 'b', system: 'Rhyme.' }, 'c'], system: 'Be terse.' },
    { messages: [user], fallbacks: [{ model: 'b' }, 'c'], system: 'Be terse.' },
  ],
  [
    'instructions and a plain text as input',
    'responses',
    { input: 'Hello', instructions: 'Rhyme.' },
    { input: 'Hello', instructions: 'Be terse.\n\n\nRhyme.' },
    { input: 'Hello', instructions: 'Rhyme.\n\n\nBe terse.' },
    { input: 'Hello', instructions: 'Be terse.' },
  ],
  [
    'null instructions, which would remove the prompt without a policy',
    'responses',
    { instructions: null },
    { instructions: 'Be terse.' },
    { instructions: 'Be terse.' },
    { instructions: 'Be terse.' },
  ],
];

describe('a policy for the system prompt', () => {
  it.each(forms)('a policy handles %s (%s)', (_title, dialect, request, prepended, appended, locked) => {
    const before = structuredClone(request);
    expect(apply(dialect, dialect, 'prepend', request).body).toEqual(prepended);
    expect(apply(dialect, dialect, 'append', request).body).toEqual(appended);
    expect(apply(dialect, dialect, 'lock', request).body).toEqual(locked);
    expect(request).toEqual(before);
  });

  it.each<[Dialect, JsonObject]>([
    [chat, { messages: [system('')] }],
    ['messages', { system: null }],
    ['responses', { instructions: '' }],
  ])(
    'a %s request that would remove the prompt is reported as a win of the preset: %j',
    (dialect, request) => {
      for (const mode of ['prepend', 'append', 'lock'] as const)
        expect(apply(dialect, dialect, mode, request).policyFields).toEqual([
          { name: 'system_prompt', winner: 'preset' },
        ]);
    },
  );

  it.each<[string, JsonObject, boolean]>([
    ['a fallback', { fallbacks: [{ model: 'b', system: 'Rhyme.' }] }, true],
    ['a request with fallbacks', { system: 'Rhyme.', fallbacks: [{ model: 'b' }] }, true],
    ['a request whose fallbacks have none', { fallbacks: [{ model: 'b' }, 'c'] }, false],
  ])('a lock reports a prompt that it removes from %s', (_, request, isReported) => {
    expect(apply('messages', 'messages', 'lock', request).policyFields).toEqual(
      isReported ? [{ name: 'system_prompt', winner: 'preset' }] : [],
    );
  });

  it.each(['prepend', 'append', 'lock'] as const)(
    'a policy reports the prompt before the other fields that it changes (%s)',
    (mode) => {
      const policy = { system_prompt: mode, locked: ['temperature'] };
      const { policyFields } = applyPreset({ ...withText[chat]('Rhyme.'), temperature: 1 }, chat, {
        dialect: chat,
        configJson: '{"temperature":0}',
        systemPrompt: 'Be terse.',
        extensionJson: JSON.stringify({ policy }),
      });
      expect(policyFields?.map(({ name }) => name)).toEqual(['system_prompt', 'temperature']);
    },
  );

  it.each<[Mode, JsonObject]>([
    ['prepend', { messages: 5 }],
    ['append', { messages: 5 }],
    ['lock', { messages: 5 }],
    ['prepend', { prompt: 'Once' }],
    ['append', { prompt: 'Once' }],
  ])(
    'a policy reports the prompt as dropped if a chat request has no place for it (%s, %j)',
    (mode, request) => {
      expect(apply(chat, chat, mode, request)).toEqual({
        body: request,
        droppedFields: ['system_prompt'],
        overriddenFields: [],
        policyFields: [],
      });
    },
  );

  it.each<[JsonObject, JsonObject, readonly string[]]>([
    [{ prompt: 'Once', n: 1 }, { messages: [ours, { role: 'user', content: 'Once' }], n: 1 }, []],
    [{ prompt: ['Once'] }, { messages: [ours] }, ['prompt']],
    [{ prompt: 'Once', messages: 5 }, { messages: [ours, { role: 'user', content: 'Once' }] }, []],
    [{ prompt: 'Once', messages: [user] }, { messages: [ours, user] }, ['prompt']],
    [{ prompt: ['Once'], messages: [user] }, { messages: [ours, user] }, ['prompt']],
    [{ prompt: null, messages: [user] }, { prompt: null, messages: [ours, user] }, []],
  ])(
    'a locked prompt is sent with a text that takes the place of messages: %j',
    (request, body, droppedFields) => {
      const others = { overriddenFields: [], policyFields: [] };
      expect(apply(chat, chat, 'lock', request)).toEqual({ body, droppedFields, ...others });
      expect(apply(chat, chat, 'lock', request, null)).toEqual({
        body: request,
        droppedFields: [],
        ...others,
      });
    },
  );

  it.each<[Mode, JsonObject, readonly string[]]>([
    ['prepend', { messages: 5 }, ['speed', 'system_prompt']],
    ['lock', { prompt: ['Once'] }, ['speed', 'prompt']],
  ])('a policy keeps the report of a field that is dropped (%s, %j)', (mode, request, dropped) => {
    const { droppedFields } = applyPreset(request, chat, {
      dialect: 'messages',
      configJson: '{"speed":"fast"}',
      systemPrompt: 'Be terse.',
      extensionJson: JSON.stringify({ policy: { system_prompt: mode } }),
    });
    expect(droppedFields).toEqual(dropped);
  });

  it.each(['replace', 'prepend', 'append'] as const)(
    'a prompt is sent once if the messages of a request repeat it together (%s)',
    (mode) => {
      const messages = [ours, theirs, user];
      expect(apply(chat, chat, mode, { messages }, 'Be terse.\n\nRhyme.')).toEqual({
        body: { messages },
        droppedFields: [],
        overriddenFields: [],
        policyFields: [],
      });
    },
  );

  it('a policy treats items that are not messages as part of the conversation', () => {
    const item = { type: 'additional_tools', role: 'developer', tools: [] };
    expect(apply('responses', 'responses', 'lock', { input: [item] }).body).toEqual({
      input: [item],
      instructions: 'Be terse.',
    });
  });

  it('a lock reports what it removes even if one of the texts is the same', () => {
    const requests: readonly [Dialect, JsonObject][] = [
      [chat, { messages: [ours, theirs, user] }],
      [chat, { messages: [ours, user, theirs] }],
      ['messages', { system: 'Be terse.', messages: [user, theirs] }],
      ['responses', { instructions: 'Be terse.', input: [theirs, user] }],
      ['responses', { instructions: 'Be terse.', input: [user, theirs] }],
      ['messages', { system: 'Rhyme.', messages: [user, ours] }],
      ['responses', { instructions: 'Rhyme.', input: [ours, user] }],
    ];
    for (const [dialect, request] of requests)
      expect(apply(dialect, dialect, 'lock', request)).toMatchObject({
        body: withText[dialect]('Be terse.'),
        policyFields: [{ name: 'system_prompt', winner: 'preset' }],
      });
  });
});

/** The roles that the schema of a dialect allows for messages. */
function rolesIn(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { role } =
    (schema as { properties?: { role?: { const?: string; enum?: string[] } } }).properties ?? {};
  const own = role?.const === undefined ? (role?.enum ?? []) : [role.const];
  return [...own, ...Object.values(schema).flatMap(rolesIn)];
}

const schemas: Readonly<Record<Dialect, object>> = {
  [chat]: chatCompletionsRequest.properties.messages,
  messages: messagesRequest.properties.messages,
  responses: responsesRequest.properties.input,
};

describe.each(dialects)('a locked system prompt in a %s request', (dialect) => {
  const list = dialect === 'responses' ? 'input' : 'messages';
  const sent = (messages: readonly unknown[]) =>
    (apply(dialect, dialect, 'lock', { [list]: messages }).body[list] as readonly JsonObject[]).filter(
      ({ content }) => content !== 'Be terse.',
    );
  const roles = [...new Set(rolesIn(schemas[dialect]))];

  it('keeps the messages of all roles but those of instructions', () => {
    expect(roles).toEqual(expect.arrayContaining(['user', 'assistant', 'system']));
    const kept = roles.filter((role) => role !== 'system' && role !== 'developer');
    const messages = roles.map((role) => ({ role, content: 'x' }));
    expect(sent(messages).map(({ role }) => role)).toEqual(kept);
    expect(sent([{ content: 'x' }])).toEqual([{ content: 'x' }]);
  });

  it('removes messages of roles that only some models know', () => {
    const unknown = ['System', 'DEVELOPER', 'ſystem', 'system ', 'root', 'platform', '', null, 7, ['system']];
    expect(sent(unknown.map((role) => ({ role, content: 'Rhyme.' })))).toEqual([]);
    for (const role of unknown)
      expect(apply(dialect, dialect, 'lock', { [list]: [user, { role, content: 'Rhyme.' }] })).toMatchObject({
        policyFields: [{ name: 'system_prompt', winner: 'preset' }],
      });
  });

  it('removes the fields that other dialects have for it', () => {
    const request = { ...withoutText[dialect], system: 'Rhyme.', instructions: 'Rhyme.' };
    expect(apply(dialect, dialect, 'lock', request)).toMatchObject({
      policyFields: [{ name: 'system_prompt', winner: 'preset' }],
    });
    expect(apply(dialect, dialect, 'lock', request).body).toEqual(withText[dialect]('Be terse.'));
  });
});

it.each([undefined, null, '', 'message', 'Message', 7])(
  'a locked system prompt removes items of responses whose type may be read as a message: %j',
  (type) => {
    const item = { type, role: 'system', content: 'Rhyme.' };
    expect(apply('responses', 'responses', 'lock', { input: [item, user] }).body).toEqual({
      input: [user],
      instructions: 'Be terse.',
    });
  },
);
