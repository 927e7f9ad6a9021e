import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import type { ModelEntry } from './model-entry.ts';
import type { ServedModel } from './model-list.ts';

/**
 * A model as OpenRouter's `GET /models/{author}/{slug}/endpoints` describes it, with one endpoint
 * for each upstream that serves it. It has every field that OpenRouter's SDKs require. presetd does
 * not measure latency, throughput and uptime by model, so these are null.
 */
export function describeEndpoints({ json }: ModelEntry, served: readonly ServedModel[]) {
  const { id, name, created, description, architecture }: JsonObject = JSON.parse(json);
  return {
    id,
    name,
    created,
    description: description ?? '',
    architecture,
    endpoints: served.map(toEndpoint),
  };
}

function toEndpoint({ model, upstream }: ServedModel) {
  const fields: JsonObject = JSON.parse(model.json);
  const { name, context_length, top_provider, supported_parameters } = fields;
  const parameters = Array.isArray(supported_parameters) ? supported_parameters : [];
  const hasToolChoice = parameters.includes('tool_choice');
  return {
    name: `${upstream.name} | ${model.id}`,
    model_id: model.id,
    model_name: name,
    provider_name: upstream.name,
    tag: upstream.name,
    // The SDKs reject null.
    context_length: context_length ?? 0,
    max_completion_tokens: isJsonObject(top_provider) ? (top_provider.max_completion_tokens ?? null) : null,
    max_prompt_tokens: null,
    pricing: fields.pricing,
    quantization: null,
    service_tier: null,
    supported_parameters: parameters,
    native_tools: {},
    supports_tool_choice: {
      auto: hasToolChoice,
      function: hasToolChoice,
      none: hasToolChoice,
      required: hasToolChoice,
    },
    supports_implicit_caching: false,
    supports_diarization: false,
    latency_last_30m: null,
    throughput_last_30m: null,
    uptime_last_1d: null,
    uptime_last_30m: null,
    uptime_last_5m: null,
  };
}
