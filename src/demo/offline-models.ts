/**
 * The models of `presetd demo`, as OpenRouter would list them. Prices are in USD per token.
 * They are made up, as are the answers.
 */
const chatParameters = [
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

function model(id: string, name: string, context: number, prompt: number, completion: number, image = true) {
  return {
    id,
    name,
    created: 1_780_000_000,
    context_length: context,
    architecture: {
      input_modalities: image ? ['text', 'image'] : ['text'],
      output_modalities: ['text'],
      tokenizer: 'Other',
    },
    pricing: { prompt: String(prompt), completion: String(completion) },
    supported_parameters: chatParameters,
  };
}

export const offlineModels = [
  model('anthropic/claude-haiku-5', 'Anthropic: Claude Haiku 5', 200_000, 0.000001, 0.000005),
  model('anthropic/claude-opus-5', 'Anthropic: Claude Opus 5', 500_000, 0.000005, 0.000025),
  model('anthropic/claude-sonnet-5', 'Anthropic: Claude Sonnet 5', 500_000, 0.000003, 0.000015),
  model('google/gemini-3-flash', 'Google: Gemini 3 Flash', 1_000_000, 0.0000003, 0.0000025),
  model('mistralai/mistral-medium-4', 'Mistral: Medium 4', 256_000, 0.0000004, 0.000002, false),
  model('mistralai/mistral-small-4', 'Mistral: Small 4', 128_000, 0.0000001, 0.0000003, false),
  model('openai/gpt-5', 'OpenAI: GPT-5', 400_000, 0.00000125, 0.00001),
  model('openai/gpt-5-mini', 'OpenAI: GPT-5 mini', 400_000, 0.00000025, 0.000002),
] as const;
