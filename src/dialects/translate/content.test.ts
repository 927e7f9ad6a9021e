import type Anthropic from '@anthropic-ai/sdk';
import fc from 'fast-check';
import type OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { webAddress } from '../../../test/support/arbitrary-text.ts';
import { type Dialect, dialects } from '../../core/presets/preset.ts';
import { dialectOf } from '../dialects.ts';
import type { Role } from '../model/content.ts';

const chat = 'chat-completions';
const pairs = dialects.flatMap((from) => dialects.map((to) => [from, to] as const));

function translate(content: unknown, role: Role, from: Dialect, to: Dialect) {
  return dialectOf[to].content.writeContent(dialectOf[from].content.parseContent(content), role);
}

/**
 * The parts of the official SDKs, so that a table with another form does not compile. OpenAI's
 * types lack `cache_control`, which OpenRouter has.
 */
interface Parts {
  readonly [chat]:
    | OpenAI.Chat.ChatCompletionContentPart
    | OpenAI.Chat.ChatCompletionContentPartRefusal
    | (OpenAI.Chat.ChatCompletionContentPartText & { cache_control: Anthropic.CacheControlEphemeral });
  readonly messages: Anthropic.ContentBlockParam;
  readonly responses:
    | OpenAI.Responses.ResponseInputContent
    | OpenAI.Responses.ResponseInputAudio
    | OpenAI.Responses.ResponseOutputText
    | OpenAI.Responses.ResponseOutputRefusal;
}

type InEach<D extends Dialect = Dialect> = { readonly [Name in D]: Parts[Name] };

const png = 'iVBORw0KGgo=';
const pdf = btoa('%PDF-1.4\n');
const text = 'Grüße 🙂\r\n';
const encodedText = 'R3LDvMOfZSDwn5mCDQo=';

/** Parts that translate between all dialects without loss. */
const everywhere: readonly (readonly [string, Role, InEach])[] = [
  [
    'text of the user',
    'user',
    {
      [chat]: { type: 'text', text },
      messages: { type: 'text', text },
      responses: { type: 'input_text', text },
    },
  ],
  [
    'text of the assistant',
    'assistant',
    {
      [chat]: { type: 'text', text },
      messages: { type: 'text', text },
      responses: { type: 'output_text', text, annotations: [] },
    },
  ],
  [
    'an image by URL',
    'user',
    {
      [chat]: { type: 'image_url', image_url: { url: 'https://a.example/b.png' } },
      messages: { type: 'image', source: { type: 'url', url: 'https://a.example/b.png' } },
      responses: { type: 'input_image', image_url: 'https://a.example/b.png', detail: 'auto' },
    },
  ],
  [
    'an image in base64',
    'user',
    {
      [chat]: { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
      messages: { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
      responses: { type: 'input_image', image_url: `data:image/png;base64,${png}`, detail: 'auto' },
    },
  ],
  [
    'a PDF in base64',
    'user',
    {
      [chat]: { type: 'file', file: { file_data: `data:application/pdf;base64,${pdf}`, filename: 'a.pdf' } },
      messages: {
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: pdf },
        title: 'a.pdf',
      },
      responses: {
        type: 'input_file',
        file_data: `data:application/pdf;base64,${pdf}`,
        filename: 'a.pdf',
      },
    },
  ],
  [
    'an uploaded file',
    'user',
    {
      [chat]: { type: 'file', file: { file_id: 'file-1', filename: 'b.pdf' } },
      messages: { type: 'document', source: { type: 'file', file_id: 'file-1' }, title: 'b.pdf' },
      responses: { type: 'input_file', file_id: 'file-1', filename: 'b.pdf' },
    },
  ],
];

/** Parts that translate between two dialects without loss, and that the third drops. */
const inTwo: readonly (readonly [string, Role, Partial<InEach>])[] = [
  [
    'audio',
    'user',
    {
      [chat]: { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
      responses: { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
    },
  ],
  [
    'an uploaded image',
    'user',
    {
      messages: { type: 'image', source: { type: 'file', file_id: 'file-1' } },
      responses: { type: 'input_image', file_id: 'file-1', detail: 'auto' },
    },
  ],
  [
    'a PDF by URL',
    'user',
    {
      messages: { type: 'document', source: { type: 'url', url: 'https://a.example/b.pdf' } },
      responses: { type: 'input_file', file_url: 'https://a.example/b.pdf' },
    },
  ],
  [
    'a file that is neither a PDF nor text',
    'user',
    {
      [chat]: { type: 'file', file: { file_data: 'data:application/zip;base64,UEs=', filename: 'a.zip' } },
      responses: { type: 'input_file', file_data: 'data:application/zip;base64,UEs=', filename: 'a.zip' },
    },
  ],
  [
    'data that claims to be text but is not',
    'user',
    {
      [chat]: { type: 'file', file: { file_data: 'data:text/plain;base64,/w==', filename: 'a.txt' } },
      responses: { type: 'input_file', file_data: 'data:text/plain;base64,/w==', filename: 'a.txt' },
    },
  ],
  [
    'a file without a media type',
    'user',
    {
      [chat]: { type: 'file', file: { file_data: 'UEs=', filename: 'a.zip' } },
      responses: { type: 'input_file', file_data: 'UEs=', filename: 'a.zip' },
    },
  ],
];

/** A part that is changed or lost in another dialect: null if nothing is left of it. */
type OneWay = {
  readonly [From in Dialect]: {
    readonly [To in Dialect]: readonly [
      title: string,
      from: From,
      part: Parts[From],
      to: To,
      expected: Parts[To] | null,
      dropped?: readonly string[],
    ];
  }[Dialect];
}[Dialect];

const cacheControl = { type: 'ephemeral', ttl: '1h' } as const;
const breakpoint = { mode: 'explicit' } as const;
const citation = {
  type: 'char_location',
  cited_text: 'a',
  document_index: 0,
  document_title: null,
  start_char_index: 0,
  end_char_index: 1,
} as const;
const annotation = {
  type: 'url_citation',
  url: 'https://a.example',
  title: '',
  start_index: 0,
  end_index: 1,
} as const;
const pdfSource = { type: 'base64', media_type: 'application/pdf', data: pdf } as const;
const textSource = { type: 'text', media_type: 'text/plain', data: text } as const;

const userParts: readonly OneWay[] = [
  [
    'a cache breakpoint on text',
    'messages',
    { type: 'text', text, cache_control: cacheControl },
    chat,
    { type: 'text', text, cache_control: cacheControl },
  ],
  [
    'a cache breakpoint on text',
    chat,
    { type: 'text', text, cache_control: cacheControl },
    'messages',
    { type: 'text', text, cache_control: cacheControl },
  ],
  [
    'a cache breakpoint on text',
    'messages',
    { type: 'text', text, cache_control: cacheControl },
    'responses',
    { type: 'input_text', text },
    ['cache_control'],
  ],
  [
    'a cache breakpoint on an image',
    'messages',
    { type: 'image', source: { type: 'url', url: 'https://a' }, cache_control: cacheControl },
    chat,
    { type: 'image_url', image_url: { url: 'https://a' } },
    ['cache_control'],
  ],
  [
    "OpenAI's cache breakpoint",
    chat,
    { type: 'text', text, prompt_cache_breakpoint: breakpoint },
    'responses',
    { type: 'input_text', text, prompt_cache_breakpoint: breakpoint },
  ],
  [
    "OpenAI's cache breakpoint",
    'responses',
    { type: 'input_file', file_id: 'file-1', prompt_cache_breakpoint: breakpoint },
    chat,
    { type: 'file', file: { file_id: 'file-1' }, prompt_cache_breakpoint: breakpoint },
  ],
  [
    "OpenAI's cache breakpoint",
    chat,
    { type: 'text', text, prompt_cache_breakpoint: breakpoint },
    'messages',
    { type: 'text', text },
    ['prompt_cache_breakpoint'],
  ],
  [
    'the detail of an image',
    chat,
    { type: 'image_url', image_url: { url: 'https://a', detail: 'low' } },
    'responses',
    { type: 'input_image', image_url: 'https://a', detail: 'low' },
  ],
  [
    'the detail of an image',
    chat,
    { type: 'image_url', image_url: { url: 'https://a', detail: 'low' } },
    'messages',
    { type: 'image', source: { type: 'url', url: 'https://a' } },
    ['image_url.detail'],
  ],
  [
    'the detail of an image',
    'responses',
    { type: 'input_image', image_url: 'https://a', detail: 'high' },
    'messages',
    { type: 'image', source: { type: 'url', url: 'https://a' } },
    ['detail'],
  ],
  [
    'the default detail of an image',
    chat,
    { type: 'image_url', image_url: { url: 'https://a', detail: 'auto' } },
    'messages',
    { type: 'image', source: { type: 'url', url: 'https://a' } },
  ],
  [
    'a misspelled JPEG',
    chat,
    { type: 'image_url', image_url: { url: 'data:image/jpg;base64,/9g=' } },
    'messages',
    { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: '/9g=' } },
  ],
  [
    'a setting for images',
    'messages',
    {
      type: 'image',
      source: { type: 'url', url: 'https://a' },
      transformations: { oversized_image: 'error' },
    },
    'responses',
    { type: 'input_image', image_url: 'https://a', detail: 'auto' },
    ['transformations'],
  ],
  [
    'the detail of a file',
    'responses',
    { type: 'input_file', file_id: 'file-1', detail: 'low' },
    chat,
    { type: 'file', file: { file_id: 'file-1' } },
    ['detail'],
  ],
  [
    'a PDF without a media type',
    chat,
    { type: 'file', file: { file_data: pdf, filename: 'a.pdf' } },
    'messages',
    { type: 'document', source: pdfSource, title: 'a.pdf' },
  ],
  [
    'a PDF by URL, which OpenRouter accepts',
    chat,
    { type: 'file', file: { file_data: 'https://a.example/b.pdf' } },
    'messages',
    { type: 'document', source: { type: 'url', url: 'https://a.example/b.pdf' } },
  ],
  [
    'a PDF by URL, which OpenRouter accepts',
    chat,
    { type: 'file', file: { file_data: 'https://a.example/b.pdf' } },
    'responses',
    { type: 'input_file', file_url: 'https://a.example/b.pdf' },
  ],
  [
    'a PDF without a name, which OpenAI requires',
    'messages',
    { type: 'document', source: pdfSource },
    chat,
    { type: 'file', file: { file_data: `data:application/pdf;base64,${pdf}`, filename: 'document.pdf' } },
  ],
  [
    'a PDF without a name, which OpenAI requires',
    'messages',
    { type: 'document', source: pdfSource, title: null },
    'responses',
    { type: 'input_file', file_data: `data:application/pdf;base64,${pdf}`, filename: 'document.pdf' },
  ],
  [
    'settings for a document',
    'messages',
    { type: 'document', source: pdfSource, title: 'a', context: 'b', citations: { enabled: true } },
    chat,
    { type: 'file', file: { file_data: `data:application/pdf;base64,${pdf}`, filename: 'a' } },
    ['context', 'citations'],
  ],
  [
    'a document of text',
    'messages',
    { type: 'document', source: textSource, title: 'a.txt' },
    'responses',
    { type: 'input_file', file_data: `data:text/plain;base64,${encodedText}`, filename: 'a.txt' },
  ],
  [
    'a document of text without a name',
    'messages',
    { type: 'document', source: textSource },
    'responses',
    { type: 'input_file', file_data: `data:text/plain;base64,${encodedText}`, filename: 'document.txt' },
  ],
  [
    'a document of text',
    'messages',
    { type: 'document', source: textSource, title: 'a.txt', cache_control: cacheControl },
    chat,
    { type: 'text', text, cache_control: cacheControl },
    ['type', 'title'],
  ],
  [
    'a document of text that UTF-8 cannot express',
    'messages',
    { type: 'document', source: { ...textSource, data: '\ud800' } },
    'responses',
    null,
  ],
  [
    'a text file',
    chat,
    { type: 'file', file: { file_data: `data:text/plain;base64,${encodedText}`, filename: 'a.txt' } },
    'messages',
    { type: 'document', source: textSource, title: 'a.txt' },
  ],
  [
    'a text file of another type',
    'responses',
    {
      type: 'input_file',
      file_data: `data:text/csv;charset=utf-8;base64,${encodedText}`,
      filename: 'a.csv',
    },
    'messages',
    { type: 'document', source: textSource, title: 'a.csv' },
    ['media_type'],
  ],
  [
    'a document of blocks',
    'messages',
    { type: 'document', source: { type: 'content', content: 'a' } },
    'responses',
    null,
  ],
];

const assistantParts: readonly OneWay[] = [
  ['a refusal', chat, { type: 'refusal', refusal: 'No.' }, 'responses', { type: 'refusal', refusal: 'No.' }],
  ['a refusal', 'responses', { type: 'refusal', refusal: 'No.' }, chat, { type: 'refusal', refusal: 'No.' }],
  [
    'a refusal',
    chat,
    { type: 'refusal', refusal: 'No.' },
    'messages',
    { type: 'text', text: 'No.' },
    ['type'],
  ],
  [
    'a refusal',
    'responses',
    { type: 'refusal', refusal: 'No.' },
    'messages',
    { type: 'text', text: 'No.' },
    ['type'],
  ],
  [
    'citations',
    'messages',
    { type: 'text', text, citations: [citation] },
    'responses',
    { type: 'output_text', text, annotations: [] },
    ['citations'],
  ],
  [
    'annotations',
    'responses',
    { type: 'output_text', text, annotations: [annotation], logprobs: [] },
    'messages',
    { type: 'text', text },
    ['annotations'],
  ],
  [
    'a tool call',
    'messages',
    { type: 'tool_use', id: 'call_1', name: 'weather', input: {} },
    'responses',
    null,
  ],
  [
    'a cache breakpoint',
    chat,
    { type: 'text', text, prompt_cache_breakpoint: breakpoint },
    'responses',
    { type: 'output_text', text, annotations: [] },
    ['prompt_cache_breakpoint'],
  ],
];

describe.each(pairs)('content of %s in %s', (from, to) => {
  it.each(everywhere)('keeps %s', (_, role, parts) => {
    expect(translate([parts[from]], role, from, to)).toEqual({ content: [parts[to]], dropped: [] });
  });

  it.each(inTwo.filter(([, , parts]) => parts[from] !== undefined))('keeps or drops %s', (_, role, parts) => {
    const expected = parts[to];
    expect(translate([parts[from]], role, from, to)).toEqual(
      expected === undefined ? { content: [], dropped: ['0'] } : { content: [expected], dropped: [] },
    );
  });

  it.each(['user', 'assistant'] as const)('keeps a string of the %s', (role) => {
    expect(translate(text, role, from, to)).toEqual({ content: text, dropped: [] });
  });

  it('keeps the order of parts, and names the dropped ones by their index', () => {
    const unknown = { type: 'unknown' };
    const [first, second] = everywhere.slice(2).map(([, , parts]) => parts);
    const { content, dropped } = translate([first?.[from], unknown, second?.[from], 1], 'user', from, to);
    expect({ content, dropped }).toEqual(
      from === to
        ? { content: [first?.[to], unknown, second?.[to], 1], dropped: [] }
        : { content: [first?.[to], second?.[to]], dropped: ['1', '3'] },
    );
  });

  it.each([
    [null, []],
    [undefined, []],
    [[], []],
    [{ type: 'text' }, from === to ? [{ type: 'text' }] : []],
    [7, from === to ? [7] : []],
  ])('accepts %j as content', (content, expected) => {
    expect(translate(content, 'user', from, to).content).toEqual(expected);
  });
});

describe.each([
  ['user', userParts],
  ['assistant', assistantParts],
] as const)('a part in a turn of the %s', (role, table) => {
  const cases = table.map(([title, from, part, to, expected, dropped = []]) => ({
    ...{ title, from, part, to },
    written:
      expected === null
        ? { content: [], dropped: ['0'] }
        : { content: [expected], dropped: dropped.map((name) => `0.${name}`) },
  }));

  it.each(cases)('$title: $from to $to', ({ from, part, to, written }) => {
    expect(translate([part], role, from, to)).toEqual(written);
  });
});

/** Forms that the SDKs' types lack, in their own dialect. */
describe.each<[Dialect, readonly object[]]>([
  [
    chat,
    [
      { type: 'file', file: { file_data: `data:application/pdf;base64,${pdf}` } },
      { type: 'file', file: { file_data: 'data:text/plain,Hi', filename: 'a.txt' } },
      { type: 'file', file: { file_id: 'file-1', file_data: pdf } },
      { type: 'image_url', image_url: { url: 'data:image/svg+xml,<svg/>', detail: null } },
      { type: 'image_url', image_url: 'https://a' },
      { type: 'text', text: 7 },
    ],
  ],
  [
    'messages',
    [
      { type: 'document', source: { type: 'base64', media_type: 'text/csv', data: encodedText } },
      { type: 'document', source: { type: 'text', media_type: 'text/csv', data: text } },
      { type: 'image', source: textSource },
      { type: 'image', source: 'https://a' },
      { type: 'image', source: { type: 'url' } },
    ],
  ],
  [
    'responses',
    [
      { type: 'input_file', file_data: `data:application/pdf;base64,${pdf}` },
      { type: 'input_file', file_data: pdf, file_url: 'https://a' },
      { type: 'input_image', detail: 'auto' },
      { type: 'input_video', video_url: 'https://a' },
    ],
  ],
])('unusual parts of %s', (dialect, parts) => {
  it.each(parts)('%j stays the same', (part) => {
    expect(translate([part], 'user', dialect, dialect)).toEqual({ content: [part], dropped: [] });
  });
});

it.each<[Dialect, object, Dialect, object]>([
  ['responses', { type: 'text', text }, chat, { type: 'text', text }],
  [
    'responses',
    { type: 'input_image', image_url: 'https://a', file_id: null, detail: null },
    chat,
    { type: 'image_url', image_url: { url: 'https://a' } },
  ],
  [
    chat,
    { type: 'file', file: { file_data: `data:Application/PDF ; a=b;base64,${pdf}`, file_id: null } },
    'messages',
    { type: 'document', source: pdfSource },
  ],
  [
    chat,
    { type: 'file', file: { file_data: 'data:text/plain;base64,77u/YQ==' } },
    'messages',
    { type: 'document', source: { ...textSource, data: '\ufeffa' } },
  ],
])('the translation from %s also accepts %j', (from, part, to, expected) => {
  expect(translate([part], 'user', from, to)).toEqual({ content: [expected], dropped: [] });
});

const unknownFields = fc.dictionary(
  fc.constantFrom('new_field', '__proto__', 'constructor'),
  fc.oneof(fc.boolean(), fc.string(), fc.constant({ a: [1] })),
  { maxKeys: 2 },
);
const url = webAddress;
const base64 = fc.uint8Array({ maxLength: 12 }).map((bytes) => btoa(String.fromCharCode(...bytes)));
const imageType = fc.constantFrom('image/png', 'image/jpeg', 'image/gif', 'image/webp');
const imageUrl = fc.oneof(
  url,
  fc.tuple(imageType, base64).map(([type, data]) => `data:${type};base64,${data}`),
);
const fileType = fc.constantFrom('application/pdf', 'text/plain', 'text/csv', 'application/zip');
const fileData = fc.tuple(fileType, base64).map(([type, data]) => `data:${type};base64,${data}`);
const detail = fc.constantFrom('low', 'high', 'original');
const words = fc.string({ unit: 'grapheme' });

/** A part with its required, some optional and some unknown fields. */
function part(
  required: Readonly<Record<string, fc.Arbitrary<unknown>>>,
  optional: Readonly<Record<string, fc.Arbitrary<unknown>>> = {},
): fc.Arbitrary<object> {
  const known = fc.record({ ...required, ...optional }, { requiredKeys: Object.keys(required) });
  return fc
    .tuple(fc.option(unknownFields, { nil: {}, freq: 4 }), known)
    .map(([extra, all]) => ({ ...extra, ...all }));
}

const cached = { cache_control: fc.constant(cacheControl) };
const breaks = { prompt_cache_breakpoint: fc.constant(breakpoint) };
const audio = part({
  type: fc.constant('input_audio'),
  input_audio: part({ data: base64, format: fc.constantFrom('wav', 'mp3') }),
});
const refusal = part({ type: fc.constant('refusal'), refusal: words });
const source = (type: string, rest: Readonly<Record<string, fc.Arbitrary<unknown>>>) =>
  part({ type: fc.constant(type), ...rest });
const uploaded = source('file', { file_id: words });
const byUrl = source('url', { url });

/** The forms that each dialect has for a role. */
const partsOf: Readonly<Record<Dialect, Readonly<Record<Role, readonly fc.Arbitrary<object>[]>>>> = {
  [chat]: {
    user: [
      part({ type: fc.constant('text'), text: words }, { ...cached, ...breaks }),
      part({ type: fc.constant('image_url'), image_url: part({ url: imageUrl }, { detail }) }, breaks),
      part({ type: fc.constant('file'), file: part({ file_data: fileData, filename: words }) }, breaks),
      part({ type: fc.constant('file'), file: part({ file_data: url }, { filename: words }) }),
      part({ type: fc.constant('file'), file: part({ file_id: words }, { filename: words }) }),
      audio,
    ],
    assistant: [part({ type: fc.constant('text'), text: words }, cached), refusal],
  },
  messages: {
    user: [
      part({ type: fc.constant('text'), text: words }, cached),
      part(
        {
          type: fc.constant('image'),
          source: fc.oneof(byUrl, uploaded, source('base64', { media_type: imageType, data: base64 })),
        },
        cached,
      ),
      part(
        {
          type: fc.constant('document'),
          title: words,
          source: fc.oneof(
            byUrl,
            uploaded,
            source('base64', { media_type: fc.constant('application/pdf'), data: base64 }),
            source('text', { media_type: fc.constant('text/plain'), data: words }),
            source('content', { content: words }),
          ),
        },
        { ...cached, context: words, citations: fc.constant({ enabled: true }) },
      ),
    ],
    assistant: [
      part({ type: fc.constant('text'), text: words }, { citations: fc.constant([citation]) }),
      part({ type: fc.constant('thinking'), thinking: words, signature: words }),
      part({ type: fc.constant('tool_use'), id: words, name: words, input: unknownFields }),
    ],
  },
  responses: {
    user: [
      part({ type: fc.constant('input_text'), text: words }, breaks),
      part({ type: fc.constant('input_image'), image_url: imageUrl, detail }, breaks),
      part({ type: fc.constant('input_image'), file_id: words, detail: fc.constant('auto') }),
      part({ type: fc.constant('input_file'), file_data: fileData, filename: words }, { detail, ...breaks }),
      part({ type: fc.constant('input_file'), file_url: url }, { filename: words }),
      part({ type: fc.constant('input_file'), file_id: words }, { filename: words }),
      audio,
    ],
    assistant: [
      part({
        type: fc.constant('output_text'),
        text: words,
        annotations: fc.constantFrom([], [annotation]),
      }),
      refusal,
    ],
  },
};

function contentOf(dialect: Dialect): fc.Arbitrary<{ role: Role; content: unknown }> {
  return fc.constantFrom<Role>('user', 'assistant').chain((role) =>
    fc.record({
      role: fc.constant(role),
      content: fc.oneof(
        { weight: 1, arbitrary: words },
        { weight: 9, arbitrary: fc.array(fc.oneof(...partsOf[dialect][role]), { maxLength: 5 }) },
      ),
    }),
  );
}

const runs = { seed: 1, numRuns: 100 };

describe.each(dialects)('any content of %s', (dialect) => {
  it('is the same after parsing and writing it', () => {
    fc.assert(
      fc.property(contentOf(dialect), ({ role, content }) => {
        expect(translate(content, role, dialect, dialect)).toEqual({ content, dropped: [] });
      }),
      runs,
    );
  });
});

describe.each(pairs)('any content of %s in %s', (from, to) => {
  it('comes back unchanged unless something was named as dropped', () => {
    let returned = 0;
    fc.assert(
      fc.property(contentOf(from), ({ role, content }) => {
        const there = translate(content, role, from, to);
        const back = translate(there.content, role, to, from);
        if (there.dropped.length > 0 || back.dropped.length > 0) return;
        returned += 1;
        expect(back.content).toEqual(content);
      }),
      runs,
    );
    // The comparison is worth nothing if everything is dropped.
    expect(returned).toBeGreaterThan(runs.numRuns / 5);
  });

  it('is written or named as dropped, part by part', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.jsonValue(), ...partsOf[from].user)), (content) => {
        const before = JSON.stringify(content);
        const written = translate(content, 'user', from, to);
        const lost = written.dropped.filter((path) => /^\d+$/.test(path));
        expect(written.content.length + lost.length).toBe(content.length);
        expect(JSON.stringify(content)).toBe(before);
      }),
      runs,
    );
  });
});
