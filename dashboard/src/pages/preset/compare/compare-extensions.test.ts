import { expect, it } from 'vitest';
import { compareExtensions } from './compare-extensions.ts';

it('compares nothing that neither version has', () => {
  expect(compareExtensions(null, null)).toEqual([]);
  expect(compareExtensions({ note: 'One' }, { note: 'Two' })).toEqual([]);
});

it('lists the fields that differ, by part', () => {
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

it('reports a version that declares variables without having any', () => {
  expect(compareExtensions(null, { variables: {} })).toEqual([
    {
      title: 'Variables',
      fields: [{ path: 'variables', kind: 'added', from: undefined, to: {} }],
    },
  ]);
});

it('compares messages as texts', () => {
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
