import type { PresetSummary } from '../../core/preset.ts';
import { presetMark } from '../../core/preset-reference.ts';
import { isJsonObject } from '../../dialects/json-object.ts';
import type { Upstream } from '../upstreams/upstream.ts';

/** A model as clients list it: one that reads OpenAI's, Anthropic's or OpenRouter's lists finds all that it needs. */
export interface ModelEntry {
  readonly id: string;
  /** Made once, since lists are long and change seldom. */
  readonly json: string;
}

export function presetToModelEntry({ slug, name, description, createdAt }: PresetSummary): ModelEntry {
  const id = `${presetMark}${slug}`;
  const created = secondsOf(createdAt) ?? 0;
  return toListed({
    ...complete({ id, name, created, ownedBy: 'presetd', contextLength: null }),
    links: { details: `/api/v1/presets/${slug}` },
    ...(description !== null && { description }),
  });
}

/** A model that an upstream tells of, under the name by which a request reaches it. Undefined where it has none. */
export function toModelEntry(given: unknown, upstream: Upstream): ModelEntry | undefined {
  if (!isJsonObject(given) || typeof given.id !== 'string' || given.id === '') return undefined;
  // A request for it would be taken for one that names a preset.
  if (given.id.includes(presetMark)) return undefined;
  const id = upstream.stripPrefix + given.id;
  const required = complete({
    id,
    name: firstText(given.name, given.display_name) ?? id,
    created: wholeNumber(given.created) ?? secondsOf(given.created_at) ?? 0,
    ownedBy: firstText(given.owned_by) ?? upstream.name,
    contextLength: contextLengthOf(given),
  });
  if (upstream.kind === 'openrouter') return toListed({ ...required, ...given, id });
  const others = Object.entries(given).filter(([name]) => !openrouterFields.has(name));
  const description = firstText(given.description);
  return toListed({
    ...Object.fromEntries(others),
    ...required,
    ...(description !== undefined && { description }),
  });
}

interface Known {
  readonly id: string;
  readonly name: string;
  readonly created: number;
  readonly ownedBy: string;
  readonly contextLength: number | null;
}

/** With everything that OpenRouter's SDK insists on. A price of -1 is its way to say that it depends. */
function complete({ id, name, created, ownedBy, contextLength }: Known) {
  return {
    id,
    object: 'model',
    type: 'model',
    name,
    display_name: name,
    created,
    created_at: new Date(created * 1_000).toISOString(),
    owned_by: ownedBy,
    canonical_slug: id,
    context_length: contextLength,
    architecture: {
      modality: 'text->text',
      input_modalities: ['text'],
      output_modalities: ['text'],
      tokenizer: 'Other',
      instruct_type: null,
    },
    pricing: { prompt: '-1', completion: '-1' },
    top_provider: { context_length: contextLength, max_completion_tokens: null, is_moderated: false },
    per_request_limits: null,
    supported_parameters: [],
    supported_voices: null,
    default_parameters: null,
    links: { details: '' },
  };
}

/** Those that OpenRouter's SDK knows beside the required ones. Under these names others may mean something else. */
const openrouterFields: ReadonlySet<string> = new Set([
  'alias_target',
  'benchmarks',
  'description',
  'expiration_date',
  'hugging_face_id',
  'knowledge_cutoff',
  'reasoning',
]);

/** In the words of OpenRouter, vLLM, Groq and Anthropic. */
function contextLengthOf(given: Readonly<Record<string, unknown>>): number | null {
  const names = ['context_length', 'max_model_len', 'context_window', 'max_input_tokens'];
  return names.map((name) => wholeNumber(given[name])).find((length) => length !== undefined) ?? null;
}

function toListed(model: { readonly id: string; readonly [field: string]: unknown }): ModelEntry {
  return { id: model.id, json: JSON.stringify(model) };
}

/** Up to where a time can be written as a date. */
function wholeNumber(value: unknown): number | undefined {
  const isWhole = typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 8.64e12;
  return isWhole ? value : undefined;
}

function secondsOf(time: unknown): number | undefined {
  return wholeNumber(typeof time === 'string' ? Math.floor(Date.parse(time) / 1_000) : undefined);
}

function firstText(...values: readonly unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === 'string' && value !== '');
}
