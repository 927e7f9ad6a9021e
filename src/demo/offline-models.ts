/**
 * The models of `presetd demo`. Names, prices and speeds are made up, as are the answers.
 */
export interface OfflineModel {
  readonly id: string;
  readonly name: string;
  readonly contextLength: number;
  readonly seesImages: boolean;
  /** In US dollars. Undefined for a model on machines of the company, which nobody bills. */
  readonly pricePerMillion:
    | { readonly inputPerMillion: number; readonly outputPerMillion: number }
    | undefined;
  /** How they behaved in the last 30 days. */
  readonly firstTokenMs: number;
  readonly tokensPerSecond: number;
  readonly errorRate: number;
}

function model(
  id: string,
  name: string,
  contextLength: number,
  price: readonly [input: number, output: number] | undefined,
  [firstTokenMs, tokensPerSecond, errorRate]: readonly [number, number, number],
  seesImages = true,
): OfflineModel {
  const pricePerMillion = price && { inputPerMillion: price[0], outputPerMillion: price[1] };
  return { id, name, contextLength, seesImages, pricePerMillion, firstTokenMs, tokensPerSecond, errorRate };
}

export const offlineModels: readonly OfflineModel[] = [
  model('anthropic/claude-haiku-5', 'Anthropic: Claude Haiku 5', 200_000, [1, 5], [380, 150, 0.003]),
  model('anthropic/claude-opus-5', 'Anthropic: Claude Opus 5', 500_000, [5, 25], [1_100, 48, 0.009]),
  model('anthropic/claude-sonnet-5', 'Anthropic: Claude Sonnet 5', 500_000, [3, 15], [700, 75, 0.005]),
  model('google/gemini-3-flash', 'Google: Gemini 3 Flash', 1_000_000, [0.3, 2.5], [330, 180, 0.012]),
  model('local/qwen3-32b', 'Qwen3 32B', 40_000, undefined, [520, 42, 0.024], false),
  model('mistralai/mistral-medium-4', 'Mistral: Medium 4', 256_000, [0.4, 2], [420, 90, 0.006], false),
  model('mistralai/mistral-small-4', 'Mistral: Small 4', 128_000, [0.1, 0.3], [300, 140, 0.015], false),
  model('openai/gpt-5', 'OpenAI: GPT-5', 400_000, [1.25, 10], [850, 70, 0.004]),
  model('openai/gpt-5-mini', 'OpenAI: GPT-5 mini', 400_000, [0.25, 2], [420, 120, 0.006]),
];

/** The first upstream is that of the company itself. */
export const offlineUpstreams = [
  { name: 'gpu-cluster', kind: 'vllm', models: ['local/*'], dialects: ['chat-completions'] },
  { name: 'offline', kind: 'openrouter', models: ['*'], dialects: ['chat-completions'] },
] as const;

export function upstreamOf(modelId: string): string {
  return (modelId.startsWith('local/') ? offlineUpstreams[0] : offlineUpstreams[1]).name;
}

const supportedParameters = [
  'max_tokens',
  'temperature',
  'top_p',
  'seed',
  'stop',
  'tools',
  'tool_choice',
  'response_format',
  'structured_outputs',
  'reasoning',
];

/** The models as OpenRouter would list them, with prices per token. */
export function listOfflineModels(): readonly object[] {
  return offlineModels.map(({ id, name, contextLength, seesImages, pricePerMillion }) => ({
    id,
    name,
    created: 1_780_000_000,
    context_length: contextLength,
    architecture: {
      input_modalities: seesImages ? ['text', 'image'] : ['text'],
      output_modalities: ['text'],
      tokenizer: 'Other',
    },
    ...(pricePerMillion && {
      pricing: {
        prompt: perToken(pricePerMillion.inputPerMillion),
        completion: perToken(pricePerMillion.outputPerMillion),
      },
    }),
    supported_parameters: supportedParameters,
  }));
}

function perToken(perMillion: number): string {
  return String(perMillion / 1_000_000);
}
