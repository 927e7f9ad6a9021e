import { expect, it } from 'vitest';
import { findErrorMessage } from './error-details.ts';

it.each([
  ['OpenAI', { error: { message: 'Wrong.', type: 'invalid_request_error', param: null, code: null } }],
  ['OpenRouter', { error: { code: 400, message: 'Wrong.' }, user_id: 'u' }],
  ['Anthropic', { type: 'error', error: { type: 'invalid_request_error', message: 'Wrong.' } }],
  ['older vLLM', { object: 'error', message: 'Wrong.', type: 'BadRequestError', code: 400 }],
  ['Ollama', { error: 'Wrong.' }],
  ['FastAPI', { detail: 'Wrong.' }],
  ['Gemini', [{ error: { code: 400, message: 'Wrong.', status: 'INVALID_ARGUMENT' } }]],
  ['xAI', { code: 'Client specified an invalid argument', error: 'Wrong.' }],
])('the error message of %s is found', (_, body) => {
  expect(findErrorMessage(body)).toBe('Wrong.');
});

it('the problems that FastAPI lists are joined', () => {
  const detail = [{ loc: ['body', 'model'], msg: 'field required', type: 'missing' }, { msg: 'too long' }, 5];
  expect(findErrorMessage({ detail })).toBe('body.model: field required; too long');
  expect(findErrorMessage({ object: 'error', message: { detail } })).toBe(
    'body.model: field required; too long',
  );
});

it.each([
  undefined,
  null,
  'Wrong.',
  [],
  [5],
  {},
  { message: {} },
  { error: null },
  { error: { message: 5 } },
  { error: '' },
  { detail: [] },
])('no message is found in %j', (value) => {
  expect(findErrorMessage(value)).toBeUndefined();
});
