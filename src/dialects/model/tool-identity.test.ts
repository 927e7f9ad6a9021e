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
    'any named tool, whatever its type',
    { name: 'bash', input_schema: {} },
    { type: 'custom', name: 'bash' },
    { type: 'bash_20250124', name: 'bash' },
    { type: 'custom', custom: { name: 'bash' } },
  ],
  [
    'a server tool by its type',
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
    'an MCP server by its label',
    { type: 'mcp', server_label: 'a' },
    { type: 'mcp', server_label: 'a', server_url: 'u' },
  ],
  [
    'web search of any version',
    { type: 'web_search' },
    { type: 'web_search_preview' },
    { type: 'web_search_preview_2025_03_11' },
    { type: 'web_search_2025_08_26', search_context_size: 'low' },
  ],
  [
    "Anthropic's web search by its name",
    { type: 'web_search_20250305', name: 'web_search' },
    { type: 'web_search_20260209', name: 'web_search' },
  ],
  ['any other tool by its type', { type: 'file_search', vector_store_ids: [] }, { type: 'file_search' }],
];

const different: readonly (readonly [string, unknown, unknown])[] = [
  [
    'functions with different names',
    { type: 'function', function: { name: 'a' } },
    { type: 'function', function: { name: 'b' } },
  ],
  [
    'subagents with different names',
    { type: 'openrouter:subagent', parameters: { name: 'a' } },
    { type: 'openrouter:subagent' },
  ],
  ['an advisor and a subagent', { type: 'openrouter:subagent' }, { type: 'openrouter:advisor' }],
  [
    'MCP servers with different labels',
    { type: 'mcp', server_label: 'a' },
    { type: 'mcp', server_label: 'b' },
  ],
  ['a function named like a tool type', { type: 'function', name: 'web_search' }, { type: 'web_search' }],
  ['web search and web fetch', { type: 'web_search_20250305' }, { type: 'web_fetch_20250910' }],
];

describe('toolIdentity', () => {
  it.each(same)('identifies %s', (_, ...tools) => {
    expect(new Set(tools.map(toolIdentity)).size).toBe(1);
    expect(toolIdentity(tools[0])).toBeDefined();
  });

  it.each(different)('distinguishes %s', (_, one, other) => {
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
  ])('is undefined for %j', (tool) => {
    expect(toolIdentity(tool)).toBeUndefined();
  });
});
