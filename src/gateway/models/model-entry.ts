import { isJsonObject } from '../../core/json/json-object.ts';
import type { PresetState } from '../../core/presets/preset.ts';
import { presetMarker } from '../../core/presets/preset-reference.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import { kinds } from '../upstreams/upstream-kinds.ts';

/**
 * An entry of the model list. It combines the fields of OpenAI's, Anthropic's and OpenRouter's
 * lists, so that the clients of all three can read it.
 */
export interface ModelEntry {
  readonly id: string;
  /** Serialized once, because lists are long and rarely change. */
  readonly json: string;
}

/**
 * A preset under the name that calls it, so that presets appear wherever people choose a model.
 * `id` is that name if it is not simply `@preset/slug`.
 */
export function presetToModelEntry(
  { slug, name, description, createdAt }: PresetState,
  id = presetMarker + slug,
): ModelEntry {
  const created = secondsOf(createdAt) ?? 0;
  return serialize({
    ...commonFields({ id, name, created, ownedBy: 'presetd', contextLength: null }),
    canonical_slug: presetMarker + slug,
    links: { details: `/api/v1/presets/${slug}` },
    ...(description !== null && { description }),
  });
}

/**
 * Claude Code offers only models whose id begins with `anthropic` or `claude`. A vendor in front of
 * a preset has no effect on calls.
 */
export function anthropicPresetId({ slug }: PresetState): string {
  return `anthropic/${presetMarker}${slug}`;
}

/**
 * Converts a model from an upstream's list. Its id gets the prefix that the gateway strips from
 * requests. Returns undefined if no request could name the model.
 */
export function toModelEntry(model: unknown, upstream: Upstream): ModelEntry | undefined {
  if (!isJsonObject(model) || typeof model.id !== 'string' || model.id === '') return undefined;
  // The gateway would take the id for a preset reference.
  if (model.id.includes(presetMarker)) return undefined;
  const listPrefix = kinds[upstream.kind].modelList?.idPrefix ?? '';
  const named = model.id.startsWith(listPrefix) ? model.id.slice(listPrefix.length) : model.id;
  const id = upstream.stripPrefix + named;
  const common = commonFields({
    id,
    name: firstText(model.name, model.display_name) ?? id,
    created: wholeNumber(model.created) ?? secondsOf(model.created_at) ?? 0,
    ownedBy: firstText(model.owned_by) ?? upstream.name,
    contextLength: contextLengthOf(model),
  });
  if (upstream.kind === 'openrouter') return serialize({ ...common, ...model, id });
  const others = Object.entries(model).filter(([name]) => !openrouterFields.has(name));
  const description = firstText(model.description);
  return serialize({
    ...Object.fromEntries(others),
    ...common,
    ...(description !== undefined && { description }),
  });
}

interface ModelFacts {
  readonly id: string;
  readonly name: string;
  readonly created: number;
  readonly ownedBy: string;
  readonly contextLength: number | null;
}

/** All fields that OpenRouter's SDK requires. A price of -1 means that it varies. */
function commonFields({ id, name, created, ownedBy, contextLength }: ModelFacts) {
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

/**
 * Optional fields of OpenRouter's models. Other upstreams may use these names for something else,
 * which would fail the validation of OpenRouter's SDK.
 */
const openrouterFields: ReadonlySet<string> = new Set([
  'alias_target',
  'benchmarks',
  'description',
  'expiration_date',
  'hugging_face_id',
  'knowledge_cutoff',
  'reasoning',
]);

/** The field names of OpenRouter, vLLM, Groq, Anthropic and Mistral, in this order. */
function contextLengthOf(model: Readonly<Record<string, unknown>>): number | null {
  const names = [
    'context_length',
    'max_model_len',
    'context_window',
    'max_input_tokens',
    'max_context_length',
  ];
  return names.map((name) => wholeNumber(model[name])).find((length) => length !== undefined) ?? null;
}

function serialize(model: { readonly id: string; readonly [field: string]: unknown }): ModelEntry {
  return { id: model.id, json: JSON.stringify(model) };
}

/** The upper limit is the largest time, in seconds, that a `Date` can represent. */
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
