import { describe, expect, it } from 'vitest';
import type { Dialect } from '../../core/presets/preset.ts';
import type { Upstream, UpstreamKind } from '../upstreams/upstream.ts';
import { kinds } from '../upstreams/upstream-kinds.ts';
import { createModelMatcher, createRouter } from './router.ts';

function upstream(
  name: string,
  kind: UpstreamKind,
  models: readonly string[],
  dialects: readonly Dialect[] = ['chat-completions'],
): Upstream {
  return {
    name,
    kind,
    models,
    dialects,
    baseUrl: 'http://127.0.0.1:1',
    key: undefined,
    stripPrefix: '',
    headers: {},
    timeouts: { connectMs: 1, firstByteMs: 1, idleMs: 1, totalMs: 1 },
    concurrencyMax: undefined,
    queueMax: 0,
    prices: [],
    endpoints: kinds[kind].endpoints,
  };
}

const claude = upstream('claude', 'anthropic', ['anthropic/*'], ['messages']);
const gpt = upstream('gpt', 'openai', ['openai/*'], ['chat-completions', 'responses']);
const local = upstream('local', 'openai-compatible', ['local/*-instruct', 'llama']);
const router = upstream('router', 'openrouter', ['*'], ['chat-completions', 'messages', 'responses']);

describe('the router', () => {
  const route = createRouter({ upstreams: [claude, gpt, local, router], attemptsMax: 3 });
  const plan = (body: Record<string, unknown>, dialect: Dialect = 'chat-completions') => {
    const { candidates, droppedFields } = route(body, dialect);
    const shown = candidates.map(({ upstream: { name }, model, fallbacks }) =>
      [name, model, ...fallbacks].join(' '),
    );
    return [...shown, ...droppedFields.map((field) => `without ${field}`)];
  };

  it.each([
    [{ model: 'openai/gpt-5' }, ['gpt openai/gpt-5']],
    [{ model: 'local/tiny-instruct' }, ['local local/tiny-instruct']],
    [{ model: 'llama' }, ['local llama']],
    [{ model: 'llama-2' }, ['router llama-2']],
    // The first upstream that serves it does not support the dialect.
    [{ model: 'anthropic/claude' }, ['router anthropic/claude']],
    [{}, ['router ']],
    [{ model: 'openai/gpt-5', models: ['llama'] }, ['gpt openai/gpt-5', 'local llama']],
    [{ model: 'openai/a', models: ['openai/b'] }, ['gpt openai/a', 'gpt openai/b']],
    [{ model: 'a', models: ['b', 'c', 'd', 'e'] }, ['router a b c d e']],
    [{ model: 'a', models: ['llama', 'b', 'c'] }, ['router a', 'local llama', 'router b c']],
    [{ model: 'llama', models: ['llama', 'a', 'llama'] }, ['local llama', 'router a']],
    [{ model: 'openai/a', models: ['llama', 'llama'] }, ['gpt openai/a', 'local llama']],
    [
      { model: 'openai/a', models: ['openai/b', 'openai/c', 'openai/d'] },
      ['gpt openai/a', 'gpt openai/b', 'gpt openai/c'],
    ],
    [{ model: 'llama', models: 'a' }, ['local llama']],
    [{ model: 'llama', models: [1, null, 'a'] }, ['local llama', 'router a']],
  ])('routes %j', (body, expected) => {
    expect(plan(body)).toEqual(expected);
  });

  it('drops fallback models that no upstream serves', () => {
    const limitedRoute = createRouter({ upstreams: [gpt, local], attemptsMax: 3 });
    const { candidates, droppedFields } = limitedRoute(
      { model: 'llama', models: ['x', 'openai/a'] },
      'chat-completions',
    );
    expect(candidates.map(({ model }) => model)).toEqual(['llama', 'openai/a']);
    expect(droppedFields).toEqual(['models.0']);
  });

  it.each([
    [
      [gpt, local],
      { model: 'x' },
      'chat-completions',
      'No upstream serves the model "x": gpt serves openai/*; local serves local/*-instruct, llama.',
    ],
    [[gpt], {}, 'chat-completions', 'names no model'],
  ] as const)('rejects a request that no upstream can serve: $3', (upstreams, body, dialect, message) => {
    const limitedRoute = createRouter({ upstreams, attemptsMax: 3 });
    expect(() => limitedRoute(body, dialect)).toThrow(
      expect.objectContaining({ kind: 'invalid_request', message: expect.stringContaining(message) }),
    );
  });
});

describe('the dialect of a candidate', () => {
  const both = upstream('both', 'openai-compatible', ['*'], ['chat-completions', 'messages']);
  it.each([
    [[claude, gpt], 'openai/a', 'responses', 'gpt responses'],
    [[claude, gpt], 'openai/a', 'messages', 'gpt responses'],
    [[claude, gpt], 'anthropic/a', 'chat-completions', 'claude messages'],
    [[local], 'llama', 'messages', 'local chat-completions'],
    [[both], 'a', 'responses', 'both messages'],
    // An upstream that needs no translation is preferred.
    [[both, gpt], 'openai/a', 'responses', 'gpt responses'],
    [[router], undefined, 'messages', 'router messages'],
  ] as const)('a $2 request for the model $1 is sent to $3', (upstreams, model, dialect, expected) => {
    const [first] = createRouter({ upstreams, attemptsMax: 3 })({ model }, dialect).candidates;
    expect(`${first?.upstream.name} ${first?.dialect}`).toBe(expected);
  });
});

describe('createModelMatcher', () => {
  it.each([
    ['*', 'anything', true],
    ['a*', 'a', true],
    ['a*c', 'abc', true],
    ['a*c', 'abcd', false],
    ['a.c', 'abc', false],
    ['a**', 'a/b\nc', true],
    ['(a', '(a', true],
  ])('matches the pattern %s against %s: %s', (pattern, model, expected) => {
    expect(createModelMatcher([pattern])(model)).toBe(expected);
  });
});
