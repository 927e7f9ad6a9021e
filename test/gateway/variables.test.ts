import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Dialect } from '../../src/core/presets/preset.ts';
import { type GatewayServer, useUpstream } from '../support/gateway-server.ts';
import type { ScriptedUpstream } from '../support/scripted-upstream.ts';
import type { TestResponse } from '../support/server.ts';
import { dialects } from '../support/wire/recordings.ts';

const question = { role: 'user', content: 'Is it late?' };

type Body = Readonly<Record<string, unknown>>;

/** A request of each dialect with this prompt and tool, to capture. */
const captures: Readonly<Record<Dialect, (prompt: string, description: string) => Body>> = {
  'chat-completions': (prompt, description) => ({
    model: 'vendor/model',
    messages: [{ role: 'system', content: prompt }],
    tools: [{ type: 'function', function: { name: 'find', description, parameters: {} } }],
  }),
  messages: (prompt, description) => ({
    model: 'vendor/model',
    max_tokens: 50,
    system: prompt,
    messages: [],
    tools: [{ name: 'find', description, input_schema: { type: 'object' } }],
  }),
  responses: (prompt, description) => ({
    model: 'vendor/model',
    instructions: prompt,
    tools: [{ type: 'function', name: 'find', description, parameters: {}, strict: null }],
  }),
};

const calls: Readonly<Record<Dialect, object>> = {
  'chat-completions': { messages: [question] },
  messages: { max_tokens: 50, messages: [question] },
  responses: { input: 'Is it late?' },
};

/** The texts that the upstream received, in the same form for every dialect. */
function shapeOf(body: Body, dialect: Dialect) {
  const list = (dialect === 'responses' ? body.input : body.messages) as Message[];
  const isSystem = ({ role }: Message) => role === 'system';
  const [tool] = body.tools as { description?: string; function?: { description: string } }[];
  return {
    system: body.system ?? body.instructions ?? textOf(list.find(isSystem)),
    turns: list.filter((message) => !isSystem(message)).map((message) => [message.role, textOf(message)]),
    tool: tool?.function?.description ?? tool?.description,
  };
}

interface Message {
  readonly role: string;
  readonly content: string | readonly { readonly text?: string }[];
}

function textOf(message: Message | undefined): string | undefined {
  if (message === undefined) return undefined;
  return typeof message.content === 'string'
    ? message.content
    : message.content.map(({ text }) => text).join('');
}

const variables = {
  customer: { type: 'string', maxLength: 80 },
  tone: { type: 'string', enum: ['formal', 'casual'], default: 'casual' },
  orders: {
    type: 'array',
    items: { type: 'object', properties: { id: { type: 'string' } } },
    default: [],
  },
};

describe('a preset with variables', () => {
  let upstream: ScriptedUpstream;
  let server: GatewayServer;
  useUpstream((started) => {
    ({ upstream, server } = started);
  });
  beforeAll(async () => {
    for (const dialect of dialects) {
      const request = captures[dialect](
        'Answer {{customer}} in a {{tone}} tone.{{#orders}}\n- {{id}}{{/orders}}',
        'Finds orders of {{customer}}.',
      );
      const presetd = {
        variables,
        messages: [
          { role: 'user', content: 'I am {{customer}}.' },
          { role: 'assistant', content: 'Hello {{{customer}}}!' },
        ],
      };
      await server.capture(`bot-${dialect}`, { ...request, presetd }, dialect);
    }
  });

  const call = (dialect: Dialect, request: object, headers: Record<string, string> = {}) =>
    server.call({ ...calls[dialect], ...request }, { dialect, headers });
  const sentBody = () => upstream.requests[0]?.body as Body;
  const issuesOf = ({ status, body }: TestResponse) => [
    status,
    (body.error.metadata?.issues ?? body.error.issues ?? []).map(
      ({ path, message }: { path: string; message: string }) => `${path} ${message}`,
    ),
  ];

  describe.each(dialects)('a preset captured from %s', (captured) => {
    const slug = `bot-${captured}`;

    it.each(dialects)('is rendered into %s calls', async (dialect) => {
      const values = { customer: 'Ada {{tone}} & "Co" <b>', orders: [{ id: 'A7' }, { id: 'B8' }] };
      const response = await call(dialect, { prompt: { id: slug, variables: values } });
      expect(response.status).toBe(200);
      expect(response.headers.get('x-presetd-preset')).toBe(`${slug}@1`);
      expect(sentBody()).not.toHaveProperty('prompt');
      expect(shapeOf(sentBody(), dialect)).toEqual({
        system: `Answer ${values.customer} in a casual tone.\n- A7\n- B8`,
        turns: [
          ['user', `I am ${values.customer}.`],
          ['assistant', `Hello ${values.customer}!`],
          ['user', 'Is it late?'],
        ],
        tool: `Finds orders of ${values.customer}.`,
      });
    });
  });

  it.each(dialects)('is rendered into %s calls without a conversation, or with null', async (dialect) => {
    const field = dialect === 'responses' ? 'input' : 'messages';
    const prompt = { id: 'bot-messages', variables: { customer: 'Ada' } };
    for (const conversation of [undefined, null]) {
      upstream.clear();
      const { status, headers } = await call(dialect, { prompt, [field]: conversation });
      expect([status, headers.get('x-presetd-dropped-fields')]).toEqual([200, null]);
      expect(shapeOf(sentBody(), dialect)).toMatchObject({
        system: 'Answer Ada in a casual tone.',
        turns: [
          ['user', 'I am Ada.'],
          ['assistant', 'Hello Ada!'],
        ],
      });
    }
  });

  it.each(dialects)('a null prompt is not sent in %s calls', async (dialect) => {
    await server.capture('short', captures.messages('Be brief.', 'x'), 'messages');
    const { headers } = await call(dialect, { model: '@preset/short', prompt: null });
    expect(sentBody()).not.toHaveProperty('prompt');
    expect(headers.get('x-presetd-dropped-fields')).toBeNull();
    expect(JSON.stringify(sentBody())).toContain('Be brief.');
  });

  it('reports every problem with the values at once, and sends nothing', async () => {
    const prompt = { id: 'bot-responses', variables: { tone: 'rude', custmer: 'Ada', orders: 'A7' } };
    const response = await call('responses', { prompt });
    expect(response.status).toBe(400);
    for (const name of ['customer', 'tone', 'custmer', 'orders'])
      expect(response.text).toContain(`/prompt/variables/${name}`);
    expect(upstream.requests).toEqual([]);
  });

  it('names the preset and all missing variables, and says where to send them', async () => {
    await server.capture(
      'letter',
      {
        ...captures.responses('Dear {{customer}}, about {{plan}}.', 'x'),
        presetd: { variables: { customer: { type: 'string' }, plan: { type: 'string' } } },
      },
      'responses',
    );
    const messageOf = async (body: object) => {
      const { text } = await call('responses', { model: '@preset/letter', ...body });
      return JSON.parse(text).error;
    };
    const none = await messageOf({});
    expect(none.message).toContain(
      'letter@1 needs the variables customer and plan: send them in `prompt.variables`.',
    );
    expect(none.metadata.issues).toEqual([
      { path: '/prompt/variables/customer', message: 'is required' },
      { path: '/prompt/variables/plan', message: 'is required' },
    ]);
    const misplaced = await messageOf({ variables: { customer: 'Ada', plan: 'Pro' } });
    expect(misplaced.message).toContain('send them in `prompt.variables`, not in `variables`.');
    const mixed = await messageOf({ prompt: { variables: { customer: 'Ada', pln: 'Pro' } } });
    expect(mixed.message).toContain(
      'letter@1 needs the variable plan: send it in `prompt.variables`. /prompt/variables/pln is not a variable of the preset (did you mean plan?).',
    );
  });

  it('rejects values for a version without variables', async () => {
    await server.capture('plain', captures.responses('Keep {{braces}}.', 'x'), 'responses');
    const response = await call('responses', { prompt: { id: 'plain', variables: { braces: 'x' } } });
    expect(response.text).toContain('is not a variable of the preset');
    await call('responses', { model: '@preset/plain' });
    expect(sentBody().instructions).toBe('Keep {{braces}}.');
  });

  it('a dry run shows the rendered request and which values are defaults', async () => {
    const { body } = await call(
      'messages',
      { model: '@preset/bot-messages', prompt: { variables: { customer: 'Ada' } } },
      { 'x-presetd-dry-run': 'true' },
    );
    expect(body.data.default_variables).toEqual(['tone', 'orders']);
    expect(body.data.body.system).toBe('Answer Ada in a casual tone.');
    expect(upstream.requests).toEqual([]);
  });

  it('a version with variables can be pinned by number or label', async () => {
    await server.capture('pinned', captures.responses('First', 'x'), 'responses');
    await server.capture('pinned', captures.responses('Second', 'x'), 'responses');
    await server.send('PUT', '/api/v1/presets/pinned/labels/old', { version: 1 });
    for (const [version, expected] of [
      ['1', 'First'],
      [2, 'Second'],
      ['old', 'First'],
    ] as const) {
      upstream.clear();
      await call('responses', { prompt: { id: 'pinned', version } });
      expect(sentBody().instructions).toBe(expected);
    }
  });

  describe('a variable with an image', () => {
    const image = { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0=' };
    beforeAll(() =>
      server.capture(
        'photo',
        {
          model: 'vendor/model',
          messages: [{ role: 'system', content: 'Describe.' }],
          presetd: {
            variables: { photo: { type: 'string' }, caption: { type: 'string', default: 'none' } },
            messages: [
              {
                role: 'user',
                content: [
                  { type: 'text', text: 'Caption: {{caption}}' },
                  { type: 'text', text: '{{photo}}' },
                ],
              },
            ],
          },
        },
        'chat-completions',
      ),
    );

    it.each([
      ['chat-completions', { type: 'image_url', image_url: { url: image.image_url } }],
      ['messages', { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0=' } }],
      ['responses', image],
    ] as const)('becomes a part of a %s call', async (dialect, expected) => {
      const response = await call(dialect, { prompt: { id: 'photo', variables: { photo: image } } });
      expect(response.status).toBe(200);
      const list = (dialect === 'responses' ? sentBody().input : sentBody().messages) as Message[];
      const turn = list.find(({ content }) => Array.isArray(content));
      expect(turn?.content).toMatchObject([{ text: 'Caption: none' }, expected]);
    });

    it('is rejected inside a text', async () => {
      const response = await call('responses', {
        prompt: { id: 'photo', variables: { photo: 'x', caption: image } },
      });
      expect(response.status).toBe(400);
      expect(response.text).toContain('/prompt/variables/caption');
      expect(upstream.requests).toEqual([]);
    });
  });

  it('any text in any variable arrives verbatim and once, in every dialect', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme', maxLength: 40 }).map((text) => text.toWellFormed()),
        fc.constantFrom('{{tone}}', '{{{tone}}}', '{{#orders}}', '}}', '{{', '{{=<% %>=}}', ''),
        fc.constantFrom(...dialects),
        fc.constantFrom(...dialects),
        async (text, tag, captured, dialect) => {
          const customer = (tag + text).slice(0, 80);
          upstream.clear();
          await call(dialect, { prompt: { id: `bot-${captured}`, variables: { customer } } });
          const { system, tool } = shapeOf(sentBody(), dialect);
          expect(system).toBe(`Answer ${customer} in a casual tone.`);
          expect(tool).toBe(`Finds orders of ${customer}.`);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('saving rejects a prompt with invalid variables and reports all problems together', async () => {
    const request = {
      ...captures.responses('Hi {{custmer}} {{> partial}}', '{{nobody}}'),
      presetd: {
        variables: { customer: { type: 'string' } },
        messages: [{ role: 'user', content: 'Bye {{someone}}' }],
      },
    };
    const response = await server.post('/api/v1/presets/wrong/responses', request);
    const [status, issues] = issuesOf(response);
    expect(status).toBe(400);
    expect(issues).toEqual([
      expect.stringMatching(/^\/instructions /),
      expect.stringMatching(/^\/presetd\/messages\/0\/content uses \{\{someone\}\}/),
      expect.stringMatching(/^\/tools\/0\/description uses \{\{nobody\}\}/),
    ]);
  });

  it('a dry run of a capture warns about variables that no text uses', async () => {
    const request = { ...captures.responses('Hi', 'x'), presetd: { variables: { a: { type: 'string' } } } };
    const { body } = await server.post('/api/v1/presets/unused/responses?dry_run=true', request);
    expect(body.warnings).toEqual([
      { path: '/presetd/variables/a', message: 'is declared, but no text uses it' },
    ]);
  });
});
