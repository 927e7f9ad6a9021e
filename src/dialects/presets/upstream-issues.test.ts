import { describe, expect, test } from 'vitest';
import { rawNumber } from '../../core/json/json-text.ts';
import type { Dialect } from '../../core/presets/preset.ts';
import { findUpstreamIssues } from './upstream-issues.ts';

const nothing = { rejected: [], doubtful: [] };
const wrong = { type: 'map' };
const typeMessage = 'must be string, number, integer, boolean, array, object or null, not "map"';
const nameMessage = 'must be at most 64 letters, digits, _ and -, not "get order!"';

test.each<[Dialect, object]>([
  [
    'chat-completions',
    {
      tools: [
        { type: 'function', function: { name: 'get_order', parameters: { type: 'object' } } },
        { type: 'function', function: { name: 'ping' } },
        { type: 'custom', custom: { name: 'run-sql' } },
        { type: 'openrouter:web_search', parameters: { type: 'map' } },
        'not a tool',
      ],
      response_format: { type: 'json_schema', json_schema: { name: 'order', schema: { type: 'object' } } },
      reasoning: { max_tokens: 1 },
    },
  ],
  [
    'messages',
    {
      tools: [{ name: 'a'.repeat(128), input_schema: { type: 'object' } }, { type: 'web_search_20250305' }],
      temperature: 1,
      thinking: { type: 'enabled', budget_tokens: 1_024 },
      output_config: { format: { type: 'json_schema', schema: {} } },
    },
  ],
  ['responses', { tools: [{ type: 'mcp', server_label: 'any server' }], text: { format: { type: 'text' } } }],
  ['responses', { tools: null, text: null, reasoning: { max_tokens: null } }],
])('a %s request that upstreams accept has no issues', (dialect, request) => {
  expect(findUpstreamIssues(request, dialect)).toEqual(nothing);
});

test.each<[Dialect, object, string, string]>([
  [
    'chat-completions',
    { tools: [{ function: { name: 'get order!' } }] },
    '/tools/0/function/name',
    nameMessage,
  ],
  ['chat-completions', { tools: [{ custom: { name: 'get order!' } }] }, '/tools/0/custom/name', nameMessage],
  ['responses', { tools: [{}, { type: 'function', name: 'get order!' }] }, '/tools/1/name', nameMessage],
  ['responses', { tools: [{ type: 'custom', name: 'get order!' }] }, '/tools/0/name', nameMessage],
  [
    'responses',
    { tools: [{ type: 'mcp' }, { type: 'functional', name: 'a' }] },
    '/tools/1/type',
    'must be function or another type of tool that upstreams know, not "functional"',
  ],
  [
    'messages',
    { tools: [{ name: 'a'.repeat(129), input_schema: {} }] },
    '/tools/0/name',
    `must be at most 128 letters, digits, _ and -, not "${'a'.repeat(78)}…`,
  ],
  [
    'chat-completions',
    { tools: [{ function: { name: 'a', parameters: wrong } }] },
    '/tools/0/function/parameters/type',
    typeMessage,
  ],
  ['messages', { tools: [{ name: 'a', input_schema: wrong }] }, '/tools/0/input_schema/type', typeMessage],
  [
    'responses',
    { tools: [{ type: 'function', name: 'a', parameters: wrong }] },
    '/tools/0/parameters/type',
    typeMessage,
  ],
  [
    'chat-completions',
    { response_format: { json_schema: { name: 'a', schema: wrong } } },
    '/response_format/json_schema/schema/type',
    typeMessage,
  ],
  [
    'chat-completions',
    { response_format: { json_schema: { name: 'get order!' } } },
    '/response_format/json_schema/name',
    nameMessage,
  ],
  ['responses', { text: { format: { name: 'a', schema: wrong } } }, '/text/format/schema/type', typeMessage],
  [
    'messages',
    { output_config: { format: { schema: wrong } } },
    '/output_config/format/schema/type',
    typeMessage,
  ],
  ['messages', { output_format: { schema: wrong } }, '/output_format/schema/type', typeMessage],
  ['messages', { temperature: 1.1 }, '/temperature', 'must be at most 1'],
  ['messages', { thinking: { budget_tokens: 1_023 } }, '/thinking/budget_tokens', 'must be at least 1024'],
  ['chat-completions', { reasoning: { max_tokens: 0 } }, '/reasoning/max_tokens', 'must be at least 1'],
  ['responses', { reasoning: { max_tokens: 0 } }, '/reasoning/max_tokens', 'must be at least 1'],
])('a %s request with %j is doubtful', (dialect, request, path, message) => {
  expect(findUpstreamIssues(request, dialect)).toEqual({ rejected: [], doubtful: [{ path, message }] });
});

describe('an empty name', () => {
  test.each<[Dialect, object, string]>([
    ['chat-completions', { tools: [{ type: 'function', function: { name: '' } }] }, '/tools/0/function/name'],
    ['messages', { tools: [{ name: '', input_schema: {} }] }, '/tools/0/name'],
    ['responses', { text: { format: { name: '', schema: {} } } }, '/text/format/name'],
  ])('is rejected in a %s request with %j', (dialect, request, path) => {
    const issue = { path, message: 'must not be empty' };
    expect(findUpstreamIssues(request, dialect)).toEqual({ rejected: [issue], doubtful: [] });
  });
});

test('a number that keeps its digits is compared like any other', () => {
  const issue = { path: '/temperature', message: 'must be at most 1' };
  expect(findUpstreamIssues({ temperature: rawNumber('1.50') }, 'messages').doubtful).toEqual([issue]);
});

test('a long list of issues is cut', () => {
  const tools = Array.from({ length: 60 }, (_, index) => ({ name: `a b ${index}`, input_schema: {} }));
  expect(findUpstreamIssues({ tools }, 'messages').doubtful).toHaveLength(50);
  const unnamed = tools.map((tool) => ({ ...tool, name: '' }));
  expect(findUpstreamIssues({ tools: unnamed }, 'messages').rejected).toHaveLength(50);
});
