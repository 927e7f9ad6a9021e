import type { Generation } from '../api/generations.ts';
import { formatAmount, formatCost, formatDuration } from '../core/ledger/metric-text.ts';
import type { Paint } from './ui/output.ts';
import { renderKeyValueList } from './ui/table.ts';
import { timeOfDay } from './ui/text.ts';

/** All that is known of a call. */
export function renderCall(call: Generation, paint: Paint): string {
  const { presetd } = call;
  const text = (value: unknown) => (value === null ? '' : String(value));
  return renderKeyValueList(
    text(call.id),
    [
      ['time', timeOfDay(text(call.created_at))],
      ['preset', presetOf(presetd)],
      ['purpose', presetd.purpose === 'workbench' ? 'workbench' : ''],
      ['model', text(call.model)],
      ['requested model', text(presetd.requested_model)],
      ['responding model', text(presetd.responding_model)],
      ['upstream', text(presetd.upstream)],
      ['fallbacks', presetd.fallbacks.join(', ')],
      ['dialect', `${text(presetd.dialect)}${call.streamed ? ', streamed' : ''}`],
      ['status', statusOf(presetd)],
      ['error', text(presetd.error_message)],
      ['finish reason', text(call.native_finish_reason)],
      ['input tokens', inputOf(call)],
      ['output tokens', outputOf(call)],
      ['estimated', presetd.is_estimated ? 'a part of the tokens' : ''],
      ['cost', costOf(presetd)],
      ['price', priceOf(presetd)],
      ['time to first token', presetd.first_token_ms === null ? '' : formatDuration(presetd.first_token_ms)],
      ['latency', formatDuration(presetd.total_ms)],
      ['added by presetd', formatDuration(presetd.presetd_ms)],
      ['key', text(presetd.key_name ?? presetd.key_label ?? presetd.key_id)],
      ['person', text(presetd.user_email ?? presetd.user_id)],
      ['app', text(presetd.app_title)],
      ['end user', text(call.external_user)],
      ['session', text(call.session_id)],
      ['feedback', presetd.feedback.map(feedbackText).join(', ')],
      ['response id', text(call.upstream_id)],
      ['workspace', text(presetd.workspace ?? call.workspace_id)],
    ],
    paint,
  );
}

/** "incorrect_response (It names the wrong city)" */
function feedbackText({ category, comment }: Generation['presetd']['feedback'][number]): string {
  return comment === null ? category : `${category} (${comment})`;
}

function presetOf(presetd: Generation['presetd']): string {
  const { selection, label } = presetd;
  if (presetd.preset === null) return versionOf(presetd);
  if (selection === 'label') return `${versionOf(presetd)}, by label ${label}`;
  return selection === 'live' ? `${versionOf(presetd)}, live` : versionOf(presetd);
}

function inputOf({ tokens_prompt: input, native_tokens_cached: cached, presetd }: Generation): string {
  const written = presetd.tokens_cache_write;
  return withParts(input, [
    [cached, 'cached'],
    [written, 'written to the cache'],
  ]);
}

function outputOf({ tokens_completion: output, native_tokens_reasoning: reasoning }: Generation): string {
  return withParts(output, [[reasoning, 'reasoning']]);
}

/** "1,234 (1,000 cached)" */
function withParts(count: number | null, parts: readonly (readonly [number | null, string])[]): string {
  const shown = parts.filter(([part]) => part !== null && part !== 0);
  const texts = shown.map(([part, name]) => `${formatAmount(part)} ${name}`);
  return texts.length === 0 ? formatAmount(count) : `${formatAmount(count)} (${texts.join(', ')})`;
}

const sources: Readonly<Record<string, string>> = {
  upstream: 'reported by the upstream',
  file: 'prices of the upstream file',
  library: 'list prices',
};

function costOf({ cost, cost_source: source }: Generation['presetd']): string {
  const origin = source === null ? undefined : sources[source];
  // All decimals that are stored: this is where people compare them with their bill.
  const amount = typeof cost === 'number' && cost !== 0 ? `$${exactly(cost)}` : formatCost(cost);
  return origin === undefined ? amount : `${amount}, ${origin}`;
}

function exactly(dollars: number): string {
  return dollars.toFixed(9).replace(/(\.\d\d\d*?)0+$/, '$1');
}

const priceNames = {
  input_per_million: 'input',
  output_per_million: 'output',
  cached_input_per_million: 'cached input',
  cache_write_per_million: 'cache writes',
} as const;

function priceOf({ price }: Generation['presetd']): string {
  if (price === null) return '';
  const names = Object.keys(priceNames) as (keyof typeof priceNames)[];
  const tokens = names.flatMap((name) => {
    const dollars = price[name];
    return dollars === undefined ? [] : [`$${dollars} ${priceNames[name]}`];
  });
  const perMillion = tokens.length === 0 ? [] : [`${tokens.join(', ')} per million tokens`];
  return [...perMillion, ...(price.request === undefined ? [] : [`$${price.request} per call`])].join(', ');
}

/** As other commands name it, or the slug of a preset that no call could use; empty without one. */
export function versionOf(presetd: Generation['presetd']): string {
  const { preset, preset_version: version, requested_preset: requested } = presetd;
  return preset === null ? (requested ?? '') : `${preset}@${version ?? 'draft'}`;
}

/** "404 preset_not_found" */
export function statusOf({ status, error_code: code }: Generation['presetd']): string {
  return code === null ? String(status) : `${status} ${code}`;
}
