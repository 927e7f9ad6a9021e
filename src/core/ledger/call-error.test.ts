import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { PresetdError } from '../errors.ts';
import { invalidField } from '../request-issues.ts';
import { callErrorOf, errorCodes, upstreamError } from './call-error.ts';

it('a long message is cut, also between the halves of a character', () => {
  const { message } = callErrorOf(new PresetdError('not_found', `${'a'.repeat(499)}🦊 and more`));
  expect(message).toMatch(/^a{499}.…$/u);
  expect(message.isWellFormed()).toBe(true);
});

it('an unexpected error says nothing about its cause', () => {
  const { code, message } = callErrorOf(new Error('row: {"prompt": "secret"}'));
  expect(code).toBe('internal');
  expect(message).not.toContain('secret');
});

it('a message that names a field stays, unless that could be any text', () => {
  expect(callErrorOf(invalidField('/prompt/variables/name', 'is required')).message).toContain('/name is');
  expect(callErrorOf(invalidField('/prompt/variables/My secret', 'is required'))).toEqual({
    code: 'invalid_request',
    message: 'A field of the request is not valid.',
  });
});

it('only a code of an upstream that is a single word is repeated', () => {
  const message = (code: string) => upstreamError('main', 400, code).message;
  expect(message('context_length_exceeded')).toBe(
    'The upstream "main" returned 400 (context_length_exceeded).',
  );
  for (const code of ['My secret', 'My-secret', `a${'b'.repeat(64)}`])
    expect(message(code)).toBe('The upstream "main" returned 400.');
});

it('the guide lists all codes', () => {
  const guide = readFileSync(new URL('../../../docs/usage.md', import.meta.url), 'utf8');
  const listed = [...guide.matchAll(/^\| `(\w+)` \|/gm)].map(([, code]) => code);
  expect(listed.toSorted()).toEqual([...errorCodes].toSorted());
});
