import { expect, it } from 'vitest';
import { compareExtensions } from './compare-extensions.ts';

it('parts that neither version has are not compared', () => {
  expect(compareExtensions(null, null)).toEqual([]);
  expect(compareExtensions({ note: 'One' }, { note: 'Two' })).toEqual([]);
});

it('the fields that differ are listed by part', () => {
  const from = {
    variables: { customer: { type: 'string', maxLength: 80 }, tone: { type: 'string' } },
    policy: { locked: ['model'], limits: { n: 1 } },
  };
  const to = {
    variables: { customer: { type: 'string', maxLength: 90 }, orders: { type: 'array' } },
    policy: { locked: ['model'], limits: { n: 1 } },
  };
  expect(compareExtensions(from, to)).toEqual([
    {
      title: 'Variables',
      fields: [
        { path: 'customer.maxLength', kind: 'changed', from: 80, to: 90 },
        { path: 'tone', kind: 'removed', from: { type: 'string' }, to: undefined },
        { path: 'orders', kind: 'added', from: undefined, to: { type: 'array' } },
      ],
    },
    { title: 'Policy', fields: [] },
  ]);
});

it('an empty declaration of variables is reported as added', () => {
  expect(compareExtensions(null, { variables: {} })).toEqual([
    {
      title: 'Variables',
      fields: [{ path: 'variables', kind: 'added', from: undefined, to: {} }],
    },
  ]);
});

it('messages are compared as text', () => {
  const user = { role: 'user' as const, content: 'Hi\nthere' };
  const parts = { role: 'assistant' as const, content: [{ type: 'text' as const, text: 'Hello' }] };
  expect(compareExtensions({ messages: [user] }, { messages: [user, parts] })).toEqual([
    {
      title: 'Few-shot messages',
      fields: [],
      texts: [
        'User:\nHi\nthere',
        'User:\nHi\nthere\n\nAssistant:\n[\n  {\n    "type": "text",\n    "text": "Hello"\n  }\n]',
      ],
    },
  ]);
  expect(compareExtensions({ messages: [user] }, { messages: [user] })).toEqual([
    { title: 'Few-shot messages', fields: [] },
  ]);
  expect(compareExtensions(null, { messages: [] })[0]?.fields).toMatchObject([{ kind: 'added' }]);
});
