import { describe, expect, it } from 'vitest';
import { citeFile } from './openai-prompt-request.ts';
import { parseOpenAiPrompts } from './openai-prompts.ts';

const parse = (content: unknown) => parseOpenAiPrompts(content, 'prompts.json');
const requestOf = (entry: object) =>
  parse({ id: 'pmpt_1', model: 'gpt-5', instructions: 'x', ...entry })[0]?.versions[0]?.request;

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
      name: 'Support Reply!',
      versions: [
        {
          version: 1,
          isFilled: false,
          dialect: 'responses',
          warnings: [],
          sources: { instructions: ['/input/0', '/input/1'], messages: ['/input/2', '/input/3'] },
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
  ])('a prompt with %s is accepted', (_what, entry, expected) => {
    expect(requestOf(entry)).toMatchObject(expected);
  });

  it('the reference of a call names the prompt as well', () => {
    const entry = {
      model: 'm',
      input: 'x',
      prompt: { prompt_id: 'pmpt_2', version: '1', variables: { a: 'b' } },
    };
    expect(parse(entry)).toMatchObject([
      { id: 'pmpt_2', slug: 'pmpt_2', versions: [{ request: { presetd: { variables: { a: {} } } } }] },
    ]);
  });

  it('prompt_id is accepted for id, as in calls', () => {
    expect(parse({ prompt_id: 'pmpt_3', model: 'm', input: 'x' })).toMatchObject([
      { id: 'pmpt_3', slug: 'pmpt_3' },
    ]);
  });

  it('a missing version is a copy of the next one, so that versions keep their numbers', () => {
    const entries = [4, 2].map((version) => ({ id: 'pmpt_1', version, model: `m${version}`, input: 'x' }));
    const [prompt] = parse({ prompts: entries });
    expect(
      prompt?.versions.map(({ version, isFilled, request }) => [
        version,
        isFilled,
        request.model,
        (request.presetd as { note: string }).note,
      ]),
    ).toEqual([
      [1, true, 'm2', 'Not in the file; filled with a later version of pmpt_1.'],
      [2, false, 'm2', 'Version 2 of pmpt_1 at OpenAI.'],
      [3, true, 'm4', 'Not in the file; filled with a later version of pmpt_1.'],
      [4, false, 'm4', 'Version 4 of pmpt_1 at OpenAI.'],
    ]);
  });

  it.each([
    [
      'items that a preset cannot hold',
      { input: [{ type: 'function_call', name: 'f' }, { role: 'tool' }, { role: 'user', content: 'x' }] },
      ['has items that are not imported: function_call, message of tool'],
    ],
    [
      'unknown fields',
      { nam: 'Support', xyz: 1, temperature: 1, stream: true },
      ['has a field that is not imported: nam (did you mean name?)', 'has a field that is not imported: xyz'],
    ],
    [
      'variables where they have no effect',
      {
        tools: [
          {
            type: 'function',
            description: 'For {{shop}}',
            parameters: { properties: { city: { description: 'Near {{place}}' } } },
          },
        ],
      },
      ['has {{place}} at /tools/0/parameters/properties/city/description, where it is sent as it is'],
    ],
    [
      'variables for images and files',
      { input: [{ role: 'user', content: [{ type: 'input_image', image_url: '{{pic}}', detail: 'high' }] }] },
      ['has an image or file in {{pic}}: pass it as an input_image or input_file item'],
    ],
  ])('warns about %s', (_what, entry, warnings) => {
    expect(parse({ id: 'p', model: 'm', instructions: 'x', ...entry })[0]?.versions[0]?.warnings).toEqual(
      warnings,
    );
  });

  it('messages of chat completions become a capture of that dialect', () => {
    const [prompt] = parse({
      id: 'pmpt_1',
      model: 'gpt-5',
      max_completion_tokens: 100,
      tools: [{ type: 'function', function: { name: 'find', description: 'Of {{shop}}' } }],
      messages: [
        { role: 'system', content: 'Be {{mood}}.' },
        { role: 'user', content: [{ type: 'image_url', image_url: { url: '{{pic}}' } }] },
        { role: 'tool', content: '' },
        { role: 'assistant', content: 'Hello!' },
      ],
    });
    const string = { type: 'string' };
    expect(prompt?.versions).toEqual([
      {
        version: 1,
        isFilled: false,
        dialect: 'chat-completions',
        warnings: [
          'has items that are not imported: message of tool',
          'has an image or file in {{pic}}: pass it as an input_image or input_file item',
        ],
        sources: { instructions: ['/messages/0'], messages: ['/messages/1', '/messages/3'] },
        request: {
          model: 'gpt-5',
          max_completion_tokens: 100,
          tools: [{ type: 'function', function: { name: 'find', description: 'Of {{shop}}' } }],
          messages: [{ role: 'system', content: 'Be {{mood}}.' }],
          presetd: {
            note: 'Version 1 of pmpt_1 at OpenAI.',
            variables: { mood: string, pic: string, shop: string },
            messages: [
              { role: 'user', content: [{ type: 'input_text', text: '{{pic}}' }] },
              { role: 'assistant', content: 'Hello!' },
            ],
          },
        },
      },
    ]);
  });

  it('declares the variables of texts and tool descriptions only', () => {
    const request = requestOf({
      instructions: '{{a}}',
      input: [
        { role: 'user', content: '{{ b }} {{{c}}} {{&d}}' },
        { role: 'user', content: [{ type: 'input_file', file_id: 'file-1', filename: 'a.txt' }] },
      ],
      tools: [{ type: 'function', name: '{{x}}', description: '{{e}}', parameters: { title: '{{y}}' } }],
      text: { format: { type: 'json_schema', name: 'n', description: '{{z}}', schema: {} } },
    });
    const string = { type: 'string' };
    expect(request).toMatchObject({
      presetd: { variables: { a: string, b: string, c: string, d: string, e: string } },
    });
    expect(JSON.stringify(request?.presetd)).not.toMatch(/"[xyz]"/);
  });

  it('declares the variables of refusals, custom tools and the tools of namespaces', () => {
    const [prompt] = parse({
      id: 'pmpt_1',
      model: 'gpt-5',
      input: [{ role: 'assistant', content: [{ type: 'refusal', refusal: 'No, {{a}}.' }] }],
      tools: [
        {
          type: 'namespace',
          name: 'crm',
          description: '{{b}}',
          tools: [{ type: 'function', name: 'f', description: '{{c}}', parameters: { title: '{{x}}' } }],
        },
        { type: 'custom', name: 'g', description: '{{d}}' },
      ],
    });
    expect(prompt?.versions[0]).toMatchObject({
      request: { presetd: { variables: { a: {}, b: {}, c: {}, d: {} } } },
      warnings: ['has {{x}} at /tools/0/tools/0/parameters/title, where it is sent as it is'],
    });
  });

  it('an image or file whose source is a variable becomes a text that is the variable', () => {
    const content = [
      { type: 'input_image', image_url: '{{pic}}' },
      { type: 'input_file', file_id: '{{ doc }}' },
      { type: 'input_image', image_url: 'https://example.com/a.jpg' },
    ];
    expect(requestOf({ input: [{ role: 'user', content }] })?.presetd).toMatchObject({
      variables: { pic: { type: 'string' }, doc: { type: 'string' } },
      messages: [
        {
          content: [
            { type: 'input_text', text: '{{pic}}' },
            { type: 'input_text', text: '{{ doc }}' },
            content[2],
          ],
        },
      ],
    });
  });

  it.each([
    ['nothing', [], 'prompts.json contains no prompts.'],
    ['text', ['x'], 'prompts.json, prompt 1: must be a JSON object.'],
    ['no id', { model: 'm' }, 'prompts.json, prompt 1: needs the "id" of the prompt, such as "pmpt_68a…".'],
    [
      'an id that is not one',
      { id: 'pmpt 1', model: 'm' },
      'prompts.json, prompt 1: the id "pmpt 1" must be 1 to 128 characters from A-Z a-z 0-9 - . _ ~,',
    ],
    ['two ids', { id: 'p', prompt_id: 'q', model: 'm' }, 'prompt 1: has two ids, "p" and "q". Keep one.'],
    ['an empty name', { id: 'p', model: 'm', name: ' ' }, '"name" must contain a visible character.'],
    [
      'a long name',
      { id: 'p', model: 'm', name: 'x'.repeat(201) },
      '"name" must have at most 200 characters.',
    ],
    [
      'a variable inside a URL',
      {
        id: 'p',
        model: 'm',
        input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'https://x/{{n}}.png' }] }],
      },
      'prompts.json, prompt 1: /input/0/content/0/image_url has {{n}}, but variables work only in texts.',
    ],
    [
      'no text',
      { id: 'p', model: 'm', input: [{ type: 'item_reference', id: 'x' }] },
      'prompts.json, prompt 1: has no text: neither "instructions" nor a message in "input". Copy the whole request from the code view.',
    ],
    [
      'input and messages',
      { id: 'p', model: 'm', input: 'x', messages: [] },
      'prompts.json, prompt 1: has both "input" and "messages". Keep the one with the prompt.',
    ],
    [
      'variables that are objects in a list',
      { id: 'p', model: 'm', input: 'x', variables: ['a', { name: 'city' }] },
      'prompts.json, prompt 1: "variables" must be a list of names, or an object with a JSON Schema or an example value for each name.',
    ],
    [
      'variables that are text',
      { id: 'p', model: 'm', input: 'x', variables: 'city' },
      '"variables" must be a',
    ],
    [
      'several problems',
      [{ model: 'm' }, { id: 'p', model: 'm' }],
      /^prompts\.json, prompt 1: needs the "id".*\nprompts\.json, prompt 2: has no text/,
    ],
    [
      'several prompts with repeated versions',
      ['p', 'q'].flatMap((id) => [1, 1].map((version) => ({ id, model: 'm', input: 'x', version }))),
      'p appears 2 times: give each a "version" of its own.\nq appears 2 times: give',
    ],
    ['no model', { id: 'p' }, /^prompts\.json, prompt 1: needs "model"\. Copy the whole request/],
    [
      'a bad version',
      { id: 'p', model: 'm', input: 'x', version: 'x' },
      /"version" must be a whole number from 1 to 1000/,
    ],
    [
      'a version twice',
      [1, 1].map((version) => ({ id: 'p', model: 'm', input: 'x', version })),
      'p appears 2 times: give each a "version" of its own.',
    ],
  ])('a file with %s is rejected', (_what, content, message) => {
    expect(() => parse(content)).toThrow(message);
  });
});

describe('citeFile', () => {
  const sources = { instructions: ['/input/0', '/input/2'], messages: ['/input/1', '/input/3'] };

  it.each([
    ['/instructions has an invalid tag', '/input/0, /input/2 has an invalid tag'],
    ['not valid:\n  /presetd/messages/1/content/0/type must', 'not valid:\n  /input/3/content/0/type must'],
    ['/presetd/variables/a/type is required', '/variables/a/type is required'],
    ['/temperature must be at most 2', '/temperature must be at most 2'],
    ['/messages has an invalid tag', '/input/0, /input/2 has an invalid tag'],
  ])('the paths of the request in %j are replaced', (message, expected) => {
    expect(citeFile(message, sources)).toBe(expected);
  });

  it('cites an input that is text', () => {
    const text = { instructions: [], messages: ['/input'] };
    expect(citeFile('/presetd/messages/0/content uses', text)).toBe('/input uses');
  });
});
