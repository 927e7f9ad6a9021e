import { expect, it } from 'vitest';
import { dialects } from '../../../core/presets/preset.ts';
import { dialectOf } from '../../dialects.ts';
import { contentItemToBlocks } from './content-item.ts';

const url = 'https://a.example/b';

it.each([
  [
    { type: 'input_text', text: '{{name}}' },
    {
      'chat-completions': { type: 'text', text: '{{name}}' },
      messages: { type: 'text', text: '{{name}}' },
      responses: { type: 'input_text', text: '{{name}}' },
    },
  ],
  [
    { type: 'input_image', image_url: url },
    {
      'chat-completions': { type: 'image_url', image_url: { url } },
      messages: { type: 'image', source: { type: 'url', url } },
      responses: { type: 'input_image', image_url: url, detail: 'auto' },
    },
  ],
  [
    { type: 'input_file', file_id: 'file-1' },
    {
      'chat-completions': { type: 'file', file: { file_id: 'file-1' } },
      messages: { type: 'document', source: { type: 'file', file_id: 'file-1' } },
      responses: { type: 'input_file', file_id: 'file-1' },
    },
  ],
])('the content item %j can be written in every dialect', (item, expected) => {
  const blocks = contentItemToBlocks(item) ?? [];
  for (const dialect of dialects)
    expect(dialectOf[dialect].content.writeContent(blocks, 'user')).toEqual({
      content: [expected[dialect]],
      dropped: [],
    });
});

it.each([
  'text',
  7,
  null,
  [],
  {},
  { type: 'output_text', text: 'a' },
  { type: 'input_audio', input_audio: { data: '', format: 'wav' } },
  { type: ['input_text'], text: 'a' },
  { type: 'input_text' },
  { type: 'input_text', text: 1 },
  { type: 'input_image' },
  { type: 'input_image', image_url: { url } },
  { type: 'input_file', file_url: url, file_id: 'file-1' },
])('%j is not a content item', (value) => {
  expect(contentItemToBlocks(value)).toBeUndefined();
});
