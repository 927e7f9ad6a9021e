import { describe, expect, it } from 'vitest';
import type { Generation } from '../api/generations.ts';
import { renderCall } from './call-details.ts';
import { renderCalls } from './calls.ts';
import { noPaint } from './ui/output.ts';

const presetd: Generation['presetd'] = {
  workspace: 'shop',
  preset: 'bot',
  preset_version: 3,
  selection: 'live',
  label: null,
  purpose: 'call',
  dialect: 'messages',
  upstream: 'main',
  requested_model: null,
  responding_model: 'vendor/model-2026',
  status: 200,
  error_code: null,
  error_message: null,
  requested_preset: null,
  cost: 0.0123456,
  cost_source: 'library',
  price: { input_per_million: 3, output_per_million: 15, cached_input_per_million: 0.3 },
  is_estimated: false,
  tokens_cache_write: 0,
  first_token_ms: 420,
  total_ms: 1_850,
  presetd_ms: 1.2,
  fallbacks: [],
  key_id: 'k-1',
  key_label: 'sk-pst-v1-ab1…9f2',
  key_name: 'shop',
  user_id: 'user_1',
  user_email: 'ann@example.com',
  app_title: null,
  feedback: [],
};

function generation(changes: Partial<Omit<Generation, 'presetd'>> = {}, details = {}): Generation {
  const call = {
    id: 'gen-1',
    created_at: '2026-11-19T10:30:12.345Z',
    model: 'vendor/model',
    session_id: null,
    external_user: null,
    upstream_id: 'msg_1',
    workspace_id: 'w-1',
    streamed: true,
    native_finish_reason: 'end_turn',
    tokens_prompt: 1_234,
    tokens_completion: 56,
    native_tokens_cached: 1_000,
    native_tokens_reasoning: 12,
    ...changes,
    presetd: { ...presetd, ...details },
  };
  return call as Generation;
}

describe('the table of presetd calls', () => {
  it('each call has its version, tokens, cost, latency and key, and an unknown cost is never 0', () => {
    const data = [
      generation(),
      generation(
        { model: 'm', tokens_prompt: 10, tokens_completion: 5 },
        { preset: null, cost: null, is_estimated: true, status: 499, total_ms: 90, key_name: null },
      ),
      generation(
        { model: '', tokens_prompt: null, tokens_completion: null },
        { preset_version: null, cost: 0, status: 400, total_ms: 2, key_name: null, key_label: null },
      ),
    ];
    expect(renderCalls({ data, next_cursor: 'gen-0' })).toBe(
      `
TIME             VERSION    MODEL         STATUS  TOKENS         COST  LATENCY  KEY
11-19 10:30:12Z  bot@3      vendor/model  200     1,234 → 56  $0.0123    1.9 s  shop
11-19 10:30:12Z             m             499     ~10 → 5     unknown    90 ms  sk-pst-v1-ab1…9f2
11-19 10:30:12Z  bot@draft                400     –             $0.00     2 ms  ann@example.com
Use --cursor gen-0 for more`.trimStart(),
    );
  });

  it('a failed call has its reason beside the status, and the preset that it asked for', () => {
    const failure = { preset: null, requested_preset: 'bott', status: 404, error_code: 'preset_not_found' };
    const data = [generation({ model: '' }, { ...failure, preset_version: null })];
    expect(renderCalls({ data, next_cursor: null })).toContain(
      '11-19 10:30:12Z  bott            404 preset_not_found  ',
    );
  });

  it('80 columns have room for the version, the model, the cost and the latency', () => {
    const columns = (data: readonly Generation[], width: number) => {
      const lines = renderCalls({ data: [...data], next_cursor: null }, width).split('\n');
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(width);
      return lines[0]?.trim().split(/ +/);
    };
    const call = generation({ model: 'anthropic/claude-sonnet-5' }, { preset: 'support-bot' });
    const failed = generation({}, { status: 502, error_code: 'upstream_invalid_response' });
    expect(columns([call], 80)).toEqual(['TIME', 'VERSION', 'MODEL', 'STATUS', 'COST', 'LATENCY']);
    expect(columns([call, failed], 80)).toEqual(['TIME', 'VERSION', 'STATUS', 'COST', 'LATENCY']);
    expect(columns([call, failed], 120)).toHaveLength(8);
  });

  it('without calls, it says so', () => {
    expect(renderCalls({ data: [], next_cursor: null })).toBe('No calls found.');
  });
});

describe('presetd calls show', () => {
  it('a call is shown with everything that is known, and the cost with all its decimals', () => {
    expect(renderCall(generation(), noPaint)).toBe(
      `
gen-1
time                 2026-11-19 10:30:12Z
preset               bot@3, live
model                vendor/model
responding model     vendor/model-2026
upstream             main
dialect              messages, streamed
status               200
finish reason        end_turn
input tokens         1,234 (1,000 cached)
output tokens        56 (12 reasoning)
cost                 $0.0123456, list prices
price                $3 input, $15 output, $0.3 cached input per million tokens
time to first token  420 ms
latency              1.9 s
added by presetd     1 ms
key                  shop
person               ann@example.com
response id          msg_1
workspace            shop`.trimStart(),
    );
  });

  const rowOf = (details: Partial<Generation['presetd']>, name: string) =>
    renderCall(generation({}, details), noPaint)
      .split('\n')
      .find((line) => line.startsWith(`${name}  `))
      ?.slice(21);

  it.each<[Partial<Generation['presetd']>, string | undefined]>([
    [{ selection: 'label', label: 'canary' }, 'bot@3, by label canary'],
    [{ selection: 'version' }, 'bot@3'],
    [{ selection: 'draft', preset_version: null }, 'bot@draft'],
    [{ preset: null }, undefined],
  ])('the version of a call with %j is shown as %s', (details, text) => {
    expect(rowOf(details, 'preset')).toBe(text);
  });

  it.each<[Partial<Generation['presetd']>, string]>([
    [{ cost: 1.2, cost_source: 'upstream' }, '$1.20, reported by the upstream'],
    [{ cost: 0.000000015, cost_source: 'file' }, '$0.000000015, prices of the upstream file'],
    [{ cost: 0, cost_source: 'free' }, '$0.00'],
    [{ cost: null, cost_source: null }, 'unknown'],
  ])('a cost of %j is shown as %s', (details, text) => {
    expect(rowOf(details, 'cost')).toBe(text);
  });

  it('feedback is shown with its comments', () => {
    const feedback = [
      { category: 'latency', comment: null },
      { category: 'other', comment: 'Rude' },
    ];
    expect(rowOf({ feedback }, 'feedback')).toBe('latency, other (Rude)');
  });

  it('a price for each call is shown beside those of tokens', () => {
    expect(rowOf({ price: { input_per_million: 1, request: 0.01 } }, 'price')).toBe(
      '$1 input per million tokens, $0.01 per call',
    );
  });
});
