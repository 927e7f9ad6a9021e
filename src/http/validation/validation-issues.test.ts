import { describe, expect, it } from 'vitest';
import { dialectOf } from '../../dialects/dialects.ts';
import { collectIssues } from './validation-issues.ts';

const dialects = { Chat: 'chat-completions', Messages: 'messages', Responses: 'responses' } as const;
const violation = { instancePath: '/messages/100000', keyword: 'anyOf', params: {} };
const issuesOf = (dialect: keyof typeof dialects, body: unknown) =>
  collectIssues({ $ref: `${dialectOf[dialects[dialect]].request.schemaName}#` }, body, violation).map(
    ({ path, message }) => `${path} ${message}`,
  );
const user = { role: 'user', content: 'x' };

describe('the issue collector', () => {
  it.each<[dialect: keyof typeof dialects, body: unknown, issues: readonly string[]]>([
    ['Chat', [], [' must be an object']],
    ['Chat', {}, ['/messages is required']],
    ['Chat', { messages: [] }, ['/messages must have at least 1 item']],
    ['Chat', { messages: [user], temperature: 3 }, ['/temperature must be at most 2']],
    ['Chat', { messages: [user], temperature: '1' }, ['/temperature must be a number or null']],
    ['Chat', { messages: [user], top_logprobs: 1.5 }, ['/top_logprobs must be a whole number or null']],
    ['Chat', { messages: [user], stop: 5 }, ['/stop must be a string, a list or null']],
    ['Chat', { messages: [user], stop: ['a', 'b', 'c', 'd', 'e'] }, ['/stop must have at most 4 items']],
    ['Chat', { messages: [user], stop: ['a', 2] }, ['/stop/1 must be a string']],
    ['Chat', { messages: [5] }, ['/messages/0 must be an object']],
    [
      'Chat',
      { messages: [{ role: 'boss', content: 'x' }, {}] },
      [
        '/messages/0/role must be one of "system", "developer", "user", "assistant", "tool", "function"',
        '/messages/1/role is required',
      ],
    ],
    ['Chat', { messages: [{ role: 'user' }] }, ['/messages/0/content is required']],
    [
      'Chat',
      { messages: [{ role: 'user', content: 5 }] },
      ['/messages/0/content must be a string or a list'],
    ],
    [
      'Chat',
      {
        messages: [
          {
            role: 'user',
            content: [{ type: 'text' }, { type: 5 }, {}, { type: 'image_url', image_url: {} }],
          },
        ],
      },
      [
        '/messages/0/content/0/text is required',
        '/messages/0/content/1/type must be a string',
        '/messages/0/content/2/type is required',
        '/messages/0/content/3/image_url/url is required',
      ],
    ],
    [
      'Chat',
      { messages: [user], response_format: { type: 'xml' } },
      ['/response_format/type must be one of "text", "json_object", "json_schema", "grammar", "python"'],
    ],
    ['Chat', { messages: [user], metadata: { a: 1 } }, ['/metadata/a must be a string']],
    [
      'Chat',
      { messages: [user], metadata: { ['k'.repeat(65)]: '' } },
      [`/metadata/${'k'.repeat(65)} must be a key of at most 64 characters`],
    ],
    ['Chat', { messages: [user], provider: { odrer: [] } }, ['/provider/odrer is not a known field']],
    [
      'Chat',
      { messages: [user], service_tier: 'gold' },
      ['/service_tier must be "auto", "default", "fast", "flex", "priority", "scale", "ultrafast" or null'],
    ],
    ['Messages', { messages: [] }, ['/model is required']],
    [
      'Messages',
      { model: 'm', messages: [], thinking: { type: 'enabled' } },
      ['/thinking/budget_tokens is required'],
    ],
    ['Messages', { model: 'm', messages: [], tools: [{ name: 'x' }] }, ['/tools/0/input_schema is required']],
    ['Responses', { input: 5 }, ['/input must be a string or a list']],
    [
      'Responses',
      { tools: [{}, { type: 'mcp' }] },
      ['/tools/0/type is required', '/tools/1/server_label is required'],
    ],
  ])('finds the issues of a %s request: %j', (dialect, body, issues) => {
    expect(issuesOf(dialect, body)).toEqual(issues);
  });

  it('stops searching in a very long list, but always reports one issue', () => {
    const messages = [...Array(100_000).fill(user), 5];
    expect(issuesOf('Chat', { messages, temperature: 3 })).toEqual(['/temperature must be at most 2']);
    expect(issuesOf('Chat', { messages })).toEqual(['/messages/100000 matches none of the allowed forms']);
  });

  it('lists at most fifty issues', () => {
    expect(issuesOf('Chat', { messages: Array(100_000).fill(1) })).toHaveLength(50);
  });
});
