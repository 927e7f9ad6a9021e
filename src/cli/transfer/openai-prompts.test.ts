import { describe, expect, it } from 'vitest';
import { parseOpenAiPrompts } from './openai-prompts.ts';

const parse = (content: unknown) => parseOpenAiPrompts(content, 'prompts.json');
const requestOf = (entry: object) =>
  parse({ id: 'pmpt_1', model: 'gpt-5', ...entry })[0]?.versions[0]?.request;

describe('parseOpenAiPrompts', () => {
  it('a prompt becomes a capture with instructions, few-shot messages and variables', () => {
    const [prompt] = parse({
      id: 'pmpt_68a',
      name: 'Support Reply!',
      version: '1',
      model: 'gpt-5',
      temperature: 0.2,
      tools: [{ type: 'function', name: 'find', description: '', parameters: {}, strict: true }],
      input: [
        { role: 'developer', content: [{ type: 'input_text', text: 'Answer for {{shop}}.' }] },
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: [{ type: 'input_text', text: 'I am {{ customer }}.' }] },
        { role: 'assistant', content: [{ type: 'output_text', text: 'Hello!' }] },
      ],
    });
    expect(prompt).toEqual({
      id: 'pmpt_68a',
      slug: 'support-reply',
      versions: [
        {
          version: 1,
          skipped: [],
          request: {
            model: 'gpt-5',
            temperature: 0.2,
            tools: [{ type: 'function', name: 'find', description: '', parameters: {}, strict: true }],
            instructions: 'Answer for {{shop}}.\n\nBe kind.',
            presetd: {
              note: 'Version 1 of pmpt_68a at OpenAI.',
              variables: { shop: { type: 'string' }, customer: { type: 'string' } },
              messages: [
                { role: 'user', content: [{ type: 'input_text', text: 'I am {{ customer }}.' }] },
                { role: 'assistant', content: [{ type: 'output_text', text: 'Hello!' }] },
              ],
            },
          },
        },
      ],
    });
  });

  it.each([
    [
      'a text',
      { input: 'Hi {{name}}' },
      { presetd: { messages: [{ role: 'user', content: 'Hi {{name}}' }] } },
    ],
    ['instructions', { instructions: 'Be kind.' }, { instructions: 'Be kind.' }],
    [
      'an example value',
      { variables: { city: 'Paris' } },
      { presetd: { variables: { city: { type: 'string' } } } },
    ],
    ['a list of names', { variables: ['city'] }, { presetd: { variables: { city: { type: 'string' } } } }],
    [
      'a schema',
      { variables: { age: { type: 'integer', minimum: 0 } } },
      { presetd: { variables: { age: { type: 'integer', minimum: 0 } } } },
    ],
    [
      'an image as example value',
      { variables: { photo: { type: 'input_image', image_url: 'https://x' } } },
      { presetd: { variables: { photo: { type: 'string' } } } },
    ],
  ])('accepts %s', (_what, entry, expected) => {
    expect(requestOf(entry)).toMatchObject(expected);
  });

  it('the reference of a call names the prompt as well', () => {
    const entry = { model: 'm', prompt: { prompt_id: 'pmpt_2', version: '1', variables: { a: 'b' } } };
    expect(parse(entry)).toMatchObject([
      { id: 'pmpt_2', slug: 'pmpt_2', versions: [{ request: { presetd: { variables: { a: {} } } } }] },
    ]);
  });

  it('missing versions are filled with the next one, so that numbers stay the same', () => {
    const entries = [4, 2].map((version) => ({ id: 'pmpt_1', version, model: `m${version}` }));
    const [prompt] = parse({ prompts: entries });
    expect(
      prompt?.versions.map(({ version, request }) => [
        version,
        request.model,
        (request.presetd as { note: string }).note,
      ]),
    ).toEqual([
      [1, 'm2', 'Not in the file; filled with a later version of pmpt_1.'],
      [2, 'm2', 'Version 2 of pmpt_1 at OpenAI.'],
      [3, 'm4', 'Not in the file; filled with a later version of pmpt_1.'],
      [4, 'm4', 'Version 4 of pmpt_1 at OpenAI.'],
    ]);
  });

  it('items that a preset cannot hold are named', () => {
    const input = [
      { type: 'function_call', name: 'f' },
      { role: 'user', content: 'x' },
    ];
    expect(parse({ id: 'p', model: 'm', input })[0]?.versions[0]?.skipped).toEqual(['function_call']);
  });

  it.each([
    ['nothing', [], 'prompts.json contains no prompts.'],
    ['text', ['x'], 'prompts.json, prompt 1: must be a JSON object.'],
    ['no id', { model: 'm' }, 'prompts.json, prompt 1: needs the "id" of the prompt, such as "pmpt_68a…".'],
    ['no model', { id: 'p' }, /^prompts\.json, prompt 1: needs "model"\. Copy the whole request/],
    [
      'a bad version',
      { id: 'p', model: 'm', version: 'x' },
      /"version" must be a whole number from 1 to 1000/,
    ],
    [
      'a version twice',
      [1, 1].map((version) => ({ id: 'p', model: 'm', version })),
      'p appears 2 times: give each a "version" of its own.',
    ],
  ])('rejects a file with %s', (_what, content, message) => {
    expect(() => parse(content)).toThrow(message);
  });
});
