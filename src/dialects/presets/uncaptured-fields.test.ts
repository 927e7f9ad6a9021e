import { describe, expect, it } from 'vitest';
import { type Dialect, dialects } from '../../core/presets/preset.ts';
import { dialectOf } from '../dialects.ts';
import { capturePreset } from './capture-preset.ts';
import { findUncapturedFields } from './uncaptured-fields.ts';

describe('findUncapturedFields', () => {
  const reasonsOf = (dialect: Dialect, request: object) =>
    Object.fromEntries(
      findUncapturedFields(request, dialect).fields.map(({ field, reason }) => [field, reason]),
    );

  it.each<[Dialect, Record<string, string>]>([
    [
      'chat-completions',
      {
        messages: 'conversation',
        session_id: 'identity',
        trace: 'identity',
        preset: 'preset',
        prompt_cache_key: 'call',
        prompt: 'conversation',
        prediction: 'conversation',
        stream: 'delivery',
        stream_options: 'delivery',
        usage: 'delivery',
        store: 'delivery',
        user: 'identity',
        safety_identifier: 'identity',
        metadata: 'identity',
        debug: 'delivery',
      },
    ],
    [
      'messages',
      {
        messages: 'conversation',
        system: 'system_prompt',
        session_id: 'identity',
        trace: 'identity',
        preset: 'preset',
        stream: 'delivery',
        user: 'identity',
        metadata: 'identity',
        compaction: 'conversation',
        thread: 'conversation',
        prompt: 'conversation',
        diagnostics: 'delivery',
        fallback_credit_token: 'call',
      },
    ],
    [
      'responses',
      {
        input: 'conversation',
        instructions: 'system_prompt',
        prompt: 'conversation',
        session_id: 'identity',
        trace: 'identity',
        preset: 'preset',
        prompt_cache_key: 'call',
        previous_response_id: 'conversation',
        conversation: 'conversation',
        background: 'delivery',
        stream: 'delivery',
        stream_options: 'delivery',
        store: 'delivery',
        user: 'identity',
        safety_identifier: 'identity',
        metadata: 'identity',
        debug: 'delivery',
      },
    ],
  ])('returns exactly the uncaptured fields of %s with their reasons', (dialect, expected) => {
    const everything = Object.fromEntries(
      Object.keys(dialectOf[dialect].request.fields).map((name) => [name, 1]),
    );
    expect(reasonsOf(dialect, everything)).toEqual(expected);
  });

  it.each(dialects)('returns exactly the fields missing from the config of a %s request', (dialect) => {
    const request = { model: 'm', messages: [], seed: 1, top_k: null, max_tokens: 3, stream: true, x: null };
    const { config } = capturePreset(request, dialect);
    expect(findUncapturedFields(request, dialect).fields.map(({ field }) => field)).toEqual(
      Object.keys(request).filter((name) => !Object.hasOwn(config, name)),
    );
  });

  it.each(dialects)('a prompt object in %s refers to a preset', (dialect) => {
    const { fields } = findUncapturedFields({ prompt: { id: 'support-bot', variables: {} } }, dialect);
    expect(fields).toEqual([
      {
        field: 'prompt',
        reason: 'preset',
        message: 'Names a preset and values for its variables, which each call provides.',
      },
    ]);
  });

  it('distinguishes a null in a known field from an unknown field', () => {
    expect(reasonsOf('messages', { top_k: null, system: null, topk: null })).toEqual({
      top_k: 'null',
      system: 'null',
      topk: 'unknown',
    });
  });

  it.each<[Dialect, string, RegExp]>([
    ['chat-completions', 'messages', /^The text of system and developer messages is saved .* the rest is/],
    ['messages', 'messages', /^The text of system messages is saved .* the rest is/],
    ['responses', 'input', /^Without instructions, the text of system and developer items is saved/],
    ['responses', 'conversation', /^Part of the conversation/],
    ['messages', 'constructor', /^Unknown field, ignored\.$/],
    ['messages', 'temprature', /^Unknown field, ignored\. Did you mean temperature\?$/],
  ])('%s: explains what happens to %s', (dialect, field, message) => {
    expect(findUncapturedFields({ [field]: [] }, dialect).fields).toEqual([
      { field, reason: expect.any(String), message: expect.stringMatching(message) },
    ]);
  });

  it('shortens long names to well-formed text and returns at most 50 fields', () => {
    const names = ['a'.repeat(128), 'a'.repeat(129), `${'a'.repeat(127)}👩`, '\ud800'];
    const request = Object.fromEntries(
      [
        ...names,
        ...Array(60)
          .keys()
          .map((index) => `x${index}`),
      ].map((name) => [name, 1]),
    );
    const { fields, totalCount } = findUncapturedFields(request, 'responses');
    expect([fields.length, totalCount]).toEqual([50, 64]);
    expect(fields.slice(0, 4).map(({ field }) => field)).toEqual([
      'a'.repeat(128),
      `${'a'.repeat(128)}…`,
      `${'a'.repeat(127)}\ufffd…`,
      '\ufffd',
    ]);
  });
});
