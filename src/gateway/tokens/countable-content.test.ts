import { describe, expect, it } from 'vitest';
import { findCountableContent } from './countable-content.ts';

const base64 = 'A'.repeat(12_800);
const png = `data:image/png;base64,${base64}`;
const pdf = `data:application/pdf;base64,${base64}`;

describe('the countable content of a request', () => {
  it.each([
    ['the system prompt', { system: 'Be brief.', temperature: 1, model: 'm' }, 'Be brief.', 0],
    [
      'system blocks',
      { system: [{ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } }] },
      'a',
      4,
    ],
    ['instructions and input', { instructions: 'a', input: 'b' }, 'a\nb', 0],
    [
      'messages',
      {
        messages: [
          { role: 'user', content: 'a' },
          { role: 'user', content: [] },
        ],
      },
      'a',
      8,
    ],
    [
      'tools, with their schemas as JSON',
      { tools: [{ name: 'f', description: 'd', input_schema: { type: 'object' } }] },
      'f\nd\n{"type":"object"}',
      4,
    ],
    [
      'functions',
      { tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }] },
      'f\n{"type":"object"}',
      4,
    ],
    [
      'tool calls and results of messages',
      {
        messages: [
          { role: 'assistant', content: [{ type: 'tool_use', id: 'x', name: 'f', input: { a: 1 } }] },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'x', content: 'r' }] },
        ],
      },
      'f\n{"a":1}\nr',
      8,
    ],
    [
      'tool calls and results of chat completions',
      {
        messages: [
          { role: 'assistant', tool_calls: [{ id: 'x', function: { name: 'f', arguments: '{"a":1}' } }] },
          { role: 'tool', tool_call_id: 'x', content: 'r' },
        ],
      },
      'f\n{"a":1}\nr',
      8,
    ],
    [
      'reasoning, without what only its provider can read',
      {
        messages: [
          { role: 'assistant', content: [{ type: 'thinking', thinking: 't', signature: base64 }] },
          { role: 'assistant', content: [{ type: 'redacted_thinking', data: base64 }] },
          { role: 'assistant', reasoning_details: [{ type: 'reasoning.encrypted', data: base64 }] },
        ],
        input: [
          { type: 'reasoning', summary: [{ type: 'summary_text', text: 's' }], encrypted_content: base64 },
        ],
      },
      't\ns',
      16,
    ],
    [
      'a schema of the output',
      { response_format: { type: 'json_schema', json_schema: { name: 'n', schema: { type: 'object' } } } },
      'n\n{"type":"object"}',
      0,
    ],
  ])('includes %s', (_title, body, text, tokens) => {
    expect(findCountableContent(body)).toEqual({ text, tokens });
  });

  it.each([
    [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: base64 } }, 1_600],
    [{ type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } }, 1_600],
    [{ type: 'image_url', image_url: { url: png } }, 1_600],
    [{ type: 'input_image', image_url: png }, 1_600],
    [{ type: 'other', url: png }, 1_600],
    [{ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: base64 } }, 300],
    [{ type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } }, 3_000],
    [{ type: 'file', file: { filename: 'a.pdf', file_data: pdf } }, 301],
    [{ type: 'input_file', file_data: pdf }, 301],
    [{ type: 'input_file', file_id: 'file_1' }, 3_000],
    [{ type: 'input_audio', input_audio: { format: 'wav', data: base64 } }, 300],
    [{ type: 'other', data: base64, url: pdf }, 301],
  ])('counts a file or image by a rule: %#', (block, tokens) => {
    expect(findCountableContent({ messages: [{ role: 'user', content: [block] }] })).toEqual({
      text: '',
      tokens: tokens + 4,
    });
  });

  it.each([
    [{ type: 'text', media_type: 'text/plain', data: 'a' }],
    [{ type: 'content', content: [{ type: 'text', text: 'a' }] }],
    [{ type: 'content', content: 'a' }],
  ])('includes the text of a document: %j', (source) => {
    expect(findCountableContent({ messages: [{ content: [{ type: 'document', source }] }] }).text).toBe('a');
  });
});
