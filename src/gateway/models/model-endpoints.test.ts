import { ListEndpointsResponse$inboundSchema } from '@openrouter/sdk/models';
import { expect, it } from 'vitest';
import { defaultGatewaySettings } from '../upstreams/gateway-settings.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import { describeEndpoints } from './model-endpoints.ts';
import { toModelEntry } from './model-entry.ts';

const [openrouter] = defaultGatewaySettings('https://openrouter.ai/api/v1', {}).upstreams;
if (openrouter === undefined) throw new Error('the default settings have no upstream');
const local: Upstream = { ...openrouter, name: 'local', kind: 'openai-compatible' };

function served(model: object, upstream: Upstream) {
  const entry = toModelEntry(model, upstream);
  if (entry === undefined) throw new Error('the model has no id');
  return { model: entry, upstream };
}

const routed = served(
  {
    id: 'a/b',
    name: 'B',
    description: 'A model.',
    created: 3,
    context_length: 128_000,
    pricing: { prompt: '0.1', completion: '0.2', image: '1' },
    top_provider: { context_length: 128_000, max_completion_tokens: 16_384, is_moderated: true },
    supported_parameters: ['tools', 'tool_choice'],
  },
  openrouter,
);

it('the endpoints of a model show what the list of each upstream says about it', () => {
  const described = describeEndpoints(routed.model, [routed, served({ id: 'a/b' }, local)]);
  expect(described).toMatchObject({ id: 'a/b', name: 'B', created: 3, description: 'A model.' });
  expect(described.endpoints).toMatchObject([
    {
      name: 'openrouter | a/b',
      provider_name: 'openrouter',
      tag: 'openrouter',
      model_id: 'a/b',
      model_name: 'B',
      context_length: 128_000,
      max_completion_tokens: 16_384,
      pricing: { prompt: '0.1', completion: '0.2', image: '1' },
      supported_parameters: ['tools', 'tool_choice'],
      supports_tool_choice: { auto: true, function: true, none: true, required: true },
    },
    {
      provider_name: 'local',
      context_length: 0,
      max_completion_tokens: null,
      pricing: { prompt: '-1', completion: '-1' },
      supports_tool_choice: { auto: false, function: false, none: false, required: false },
    },
  ]);
  expect(ListEndpointsResponse$inboundSchema.safeParse(described).error).toBeUndefined();
});

it('an upstream that sends null for the fields of OpenRouter is tolerated', () => {
  const vague = served(
    { id: 'm', context_length: null, top_provider: null, supported_parameters: null },
    openrouter,
  );
  const described = describeEndpoints(vague.model, [vague]);
  expect(ListEndpointsResponse$inboundSchema.safeParse(described).error).toBeUndefined();
});

it('a model that no upstream lists is described without endpoints', () => {
  expect(describeEndpoints(routed.model, []).endpoints).toEqual([]);
});
