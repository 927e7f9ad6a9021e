import { expect, test } from 'vitest';
import { describeProblem } from './problem-text.ts';

const range = { from: 0, to: 1 };
const body = {
  messages: [
    { role: 'system', content: '{{' },
    { role: 'user', content: '' },
  ],
};

test.each([
  ['/temperature', 'temperature must be at most 2'],
  ['/tools/0/function/name', 'tools[0].function.name must be at most 2'],
  ['/messages/0/content', 'The system prompt must be at most 2'],
  ['/messages/1/content', 'messages[1].content must be at most 2'],
  ['/system', 'The system prompt must be at most 2'],
  ['', 'The request must be at most 2'],
])('a problem names the value at %j', (path, sentence) => {
  expect(describeProblem({ ...range, path, message: 'must be at most 2' }, body)).toBe(sentence);
});

test('a problem at a line of a template names the system prompt', () => {
  const message = 'uses {{tone}} at line 2, column 1, but presetd.variables does not declare tone';
  expect(describeProblem({ ...range, path: '/messages', message }, body)).toBe(
    `The system prompt ${message}`,
  );
});

test('a problem that is a sentence stays unchanged', () => {
  const message = 'The model is missing.';
  expect(describeProblem({ ...range, path: '/model', message }, body)).toBe(message);
  expect(describeProblem({ ...range, message: 'a comma is missing' }, undefined)).toBe('a comma is missing');
});
