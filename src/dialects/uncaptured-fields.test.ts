import { describe, expect, it } from 'vitest';
import { type Dialect, dialects } from '../core/preset.ts';
import { dialectOf } from './dialects.ts';
import { knownFields } from './known-fields.ts';
import { findUncapturedFields } from './uncaptured-fields.ts';

describe('leftOutFields', () => {
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
  ])('says why of just those fields of %s that are not kept', (dialect, expected) => {
    const everything = Object.fromEntries(Object.keys(knownFields[dialect]).map((name) => [name, 1]));
    expect(reasonsOf(dialect, everything)).toEqual(expected);
  });

  it.each(dialects)('names just what the config of a %s request lacks', (dialect) => {
    const request = { model: 'm', messages: [], seed: 1, top_k: null, max_tokens: 3, stream: true, x: null };
    const { config } = dialectOf[dialect].capturePreset(request);
    expect(findUncapturedFields(request, dialect).fields.map(({ field }) => field)).toEqual(
      Object.keys(request).filter((name) => !Object.hasOwn(config, name)),
    );
  });

  it('says of a null on a known field that it counts as absent, and of any other that it is unknown', () => {
    expect(reasonsOf('messages', { top_k: null, system: null, topk: null })).toEqual({
      top_k: 'null',
      system: 'null',
      topk: 'unknown',
    });
  });

  it.each<[Dialect, string, RegExp]>([
    ['chat-completions', 'messages', /^The text of system and developer messages is kept .* the rest is/],
    ['messages', 'messages', /^The text of system messages is kept .* the rest is/],
    [
      'responses',
      'input',
      /^Where there are no instructions, the text of system and developer items is kept/,
    ],
    ['responses', 'conversation', /^It belongs to the conversation/],
    ['messages', 'constructor', /^Unknown field, ignored\.$/],
    ['messages', 'temprature', /^Unknown field, ignored\. Did you mean temperature\?$/],
  ])('tells of a %s request what becomes of %s', (dialect, field, message) => {
    expect(findUncapturedFields({ [field]: [] }, dialect).fields).toEqual([
      { field, reason: expect.any(String), message: expect.stringMatching(message) },
    ]);
  });

  it('cuts a long name, leaves no half of a character, and tells of fifty', () => {
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
