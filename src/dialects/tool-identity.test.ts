import { describe, expect, it } from 'vitest';
import { toolIdentity } from './tool-identity.ts';

const same: readonly (readonly [string, ...unknown[]])[] = [
  [
    'a function by its name',
    { type: 'function', function: { name: 'get', description: 'a' } },
    { type: 'function', function: { name: 'get' }, cache_control: {} },
  ],
  [
    'a flat function by its name',
    { type: 'function', name: 'get' },
    { type: 'function', name: 'get', strict: true },
  ],
  [
    'all that is called by a name, whatever its type',
    { name: 'bash', input_schema: {} },
    { type: 'custom', name: 'bash' },
    { type: 'bash_20250124', name: 'bash' },
    { type: 'custom', custom: { name: 'bash' } },
  ],
  [
    'a tool of OpenRouter by its type',
    { type: 'openrouter:datetime' },
    { type: 'openrouter:datetime', parameters: { timezone: 'UTC' } },
  ],
  [
    'an advisor by its type and name',
    { type: 'openrouter:advisor', parameters: { name: 'a' } },
    { type: 'openrouter:advisor', parameters: { name: 'a', model: 'm' } },
  ],
  [
    'advisors without a name',
    { type: 'openrouter:advisor' },
    { type: 'openrouter:advisor', parameters: { model: 'm' } },
  ],
  [
    'a server of tools by its label',
    { type: 'mcp', server_label: 'a' },
    { type: 'mcp', server_label: 'a', server_url: 'u' },
  ],
  [
    'web search of any date',
    { type: 'web_search' },
    { type: 'web_search_preview' },
    { type: 'web_search_preview_2025_03_11' },
    { type: 'web_search_2025_08_26', search_context_size: 'low' },
  ],
  [
    'web search of Anthropic by its name',
    { type: 'web_search_20250305', name: 'web_search' },
    { type: 'web_search_20260209', name: 'web_search' },
  ],
  ['any other tool by its type', { type: 'file_search', vector_store_ids: [] }, { type: 'file_search' }],
];

const different: readonly (readonly [string, unknown, unknown])[] = [
  [
    'functions of other names',
    { type: 'function', function: { name: 'a' } },
    { type: 'function', function: { name: 'b' } },
  ],
  [
    'subagents of other names',
    { type: 'openrouter:subagent', parameters: { name: 'a' } },
    { type: 'openrouter:subagent' },
  ],
  ['an advisor and a subagent', { type: 'openrouter:subagent' }, { type: 'openrouter:advisor' }],
  ['servers of other labels', { type: 'mcp', server_label: 'a' }, { type: 'mcp', server_label: 'b' }],
  ['a function and the type of its name', { type: 'function', name: 'web_search' }, { type: 'web_search' }],
  ['web search and web fetch', { type: 'web_search_20250305' }, { type: 'web_fetch_20250910' }],
];

describe('the same tool', () => {
  it.each(same)('is %s', (_, ...tools) => {
    expect(new Set(tools.map(toolIdentity)).size).toBe(1);
    expect(toolIdentity(tools[0])).toBeDefined();
  });

  it.each(different)('is not found in %s', (_, one, other) => {
    expect(toolIdentity(one)).not.toBe(toolIdentity(other));
  });

  it.each([
    null,
    5,
    'web_search',
    [],
    {},
    { type: 5 },
    { type: 'function' },
    { type: 'function', function: { name: 5 } },
    { type: 'custom', custom: null },
    { type: 'mcp' },
  ])('is not known of %j', (tool) => {
    expect(toolIdentity(tool)).toBeUndefined();
  });
});
