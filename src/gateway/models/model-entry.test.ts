import { Model$inboundSchema } from '@openrouter/sdk/models';
import { describe, expect, it } from 'vitest';
import type { PresetSummary } from '../../core/presets/preset.ts';
import { defaultGatewaySettings } from '../upstreams/gateway-settings.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import { type ModelEntry, presetToModelEntry, toModelEntry } from './model-entry.ts';

const [openrouter] = defaultGatewaySettings('https://openrouter.ai/api/v1', {}).upstreams;
if (openrouter === undefined) throw new Error('the default settings have no upstream');
const local: Upstream = { ...openrouter, name: 'local', kind: 'openai-compatible' };

const parsed = (model: ModelEntry | undefined) => JSON.parse(model?.json ?? 'null');

describe('presetToModelEntry', () => {
  const preset: PresetSummary = {
    id: 'i',
    workspaceId: 'w',
    slug: 'support-bot',
    name: 'Support “bot”',
    description: null,
    status: 'active',
    statusUpdatedAt: null,
    creatorUserId: 'u',
    createdAt: '2026-01-02T03:04:05.678Z',
    updatedAt: '2026-02-02T03:04:05.678Z',
    latestVersion: 1,
    revision: 1,
    designatedNumber: 1,
    designatedVersionId: 'v',
    labels: new Map(),
    aliases: new Map(),
    tags: [],
  };

  it('uses the id by which a request names the preset', () => {
    expect(parsed(presetToModelEntry(preset))).toMatchObject({
      id: '@preset/support-bot',
      object: 'model',
      type: 'model',
      name: 'Support “bot”',
      display_name: 'Support “bot”',
      created: 1_767_323_045,
      created_at: '2026-01-02T03:04:05.000Z',
      owned_by: 'presetd',
    });
    expect(parsed(presetToModelEntry(preset))).not.toHaveProperty('description');
    expect(parsed(presetToModelEntry({ ...preset, description: 'Answers.' }))).toMatchObject({
      description: 'Answers.',
    });
  });

  it('keeps the slug of the preset under another id', () => {
    expect(parsed(presetToModelEntry(preset, '@preset/alias@3'))).toMatchObject({
      id: '@preset/alias@3',
      canonical_slug: '@preset/support-bot',
      links: { details: '/api/v1/presets/support-bot' },
    });
  });

  it("passes the validation of OpenRouter's SDK", () => {
    expect(Model$inboundSchema.safeParse(parsed(presetToModelEntry(preset))).error).toBeUndefined();
  });
});

describe('toModelEntry', () => {
  it.each([
    [
      'vLLM',
      {
        id: 'm',
        object: 'model',
        created: 5,
        owned_by: 'vllm',
        root: 'm',
        parent: null,
        max_model_len: 4096,
        permission: [{}],
      },
      { name: 'm', created: 5, owned_by: 'vllm', context_length: 4096, root: 'm', permission: [{}] },
    ],
    [
      'Anthropic',
      {
        id: 'm',
        type: 'model',
        display_name: 'M 1',
        created_at: '2025-02-19T00:00:00Z',
        max_input_tokens: 9,
      },
      {
        name: 'M 1',
        created: 1_739_923_200,
        created_at: '2025-02-19T00:00:00.000Z',
        owned_by: 'local',
        context_length: 9,
      },
    ],
    ['Mistral', { id: 'm', object: 'model', max_context_length: 7 }, { context_length: 7 }],
    [
      'Ollama',
      { id: 'm', object: 'model', created: 1, owned_by: 'library' },
      { name: 'm', owned_by: 'library' },
    ],
    [
      "an upstream that uses OpenRouter's field names differently",
      {
        id: 'm',
        object: 'chat',
        name: null,
        description: 7,
        created: 1.5,
        created_at: 'soon',
        pricing: { hourly: 0 },
        reasoning: true,
        context_length: '8k',
        architecture: 'llama',
        links: [],
        supported_parameters: {},
        top_provider: 'x',
        default_parameters: 5,
      },
      { object: 'model', name: 'm', created: 0, context_length: null, pricing: { prompt: '-1' } },
    ],
    ['an upstream that sends only an id', { id: 'm' }, { name: 'm', created: 0 }],
  ])('completes a model from %s with the fields that clients require', (_, given, expected) => {
    const model = parsed(toModelEntry(given, local));
    expect(model).toMatchObject({ id: 'm', object: 'model', canonical_slug: 'm', ...expected });
    expect(Model$inboundSchema.safeParse(model).error).toBeUndefined();
  });

  it('keeps all fields of a model from OpenRouter', () => {
    const given = {
      id: 'a/b',
      name: 'B',
      pricing: { prompt: '0.1', completion: '0.2', image: '1' },
      created: 3,
      links: { details: '/x' },
      novel: { field: [1] },
    };
    expect(parsed(toModelEntry(given, openrouter))).toMatchObject(given);
  });

  it('adds the prefix that the gateway strips from requests', () => {
    const upstream = { ...local, stripPrefix: 'local/' };
    expect(toModelEntry({ id: 'm' }, upstream)?.id).toBe('local/m');
    expect(parsed(toModelEntry({ id: 'm' }, { ...upstream, kind: 'openrouter' }))).toMatchObject({
      id: 'local/m',
    });
  });

  it("omits Gemini's collection name, which requests need not have", () => {
    const gemini: Upstream = { ...local, kind: 'gemini', stripPrefix: 'google/' };
    expect(toModelEntry({ id: 'models/gemini-3' }, gemini)?.id).toBe('google/gemini-3');
    expect(toModelEntry({ id: 'models/m' }, local)?.id).toBe('models/m');
  });

  it.each([null, 'm', 5, [], {}, { id: 5 }, { id: '' }, { id: '@preset/x' }, { id: 'm@preset/x' }])(
    'returns undefined for a model that no request could name: %j',
    (given) => {
      expect(toModelEntry(given, local)).toBeUndefined();
    },
  );
});
