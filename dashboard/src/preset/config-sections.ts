import type { PresetVersion } from '../../../src/client/preset-answers.ts';

export interface ConfigField {
  /** As the config names it. */
  readonly name: string;
  /** In words. */
  readonly title: string;
  /** Whether the words are not simply those of the name. */
  readonly isRetitled: boolean;
  readonly value: unknown;
}

export interface ConfigSection {
  readonly title: string;
  readonly fields: readonly ConfigField[];
}

/** Every field of a config under what it is about, the important ones first; those that are not known here come last. */
export function configSections(config: PresetVersion['config']): readonly ConfigSection[] {
  const known = new Set(sections.flatMap(([, names]) => names));
  const others = Object.keys(config).filter((name) => !known.has(name));
  return [...sections, ['Other', others] as const]
    .map(([title, names]) => ({
      title,
      fields: names
        .filter((name) => Object.hasOwn(config, name))
        .map((name) => ({ name, ...titleOf(name), value: config[name] })),
    }))
    .filter(({ fields }) => fields.length > 0);
}

const sections: readonly (readonly [title: string, names: readonly string[]])[] = [
  [
    'Model and routing',
    ['model', 'models', 'fallbacks', 'route', 'provider', 'service_tier', 'speed', 'inference_geo'],
  ],
  [
    'Sampling',
    [
      'temperature',
      'top_p',
      'top_k',
      'top_a',
      'min_p',
      'frequency_penalty',
      'presence_penalty',
      'repetition_penalty',
      'logit_bias',
      'seed',
      'n',
      'logprobs',
      'top_logprobs',
    ],
  ],
  [
    'Limits',
    [
      'max_tokens',
      'max_completion_tokens',
      'max_output_tokens',
      'stop',
      'stop_sequences',
      'max_tool_calls',
      'stop_server_tools_when',
      'truncation',
    ],
  ],
  ['Reasoning', ['reasoning', 'reasoning_effort', 'include_reasoning', 'thinking', 'verbosity']],
  [
    'Tools',
    [
      'tools',
      'functions',
      'tool_choice',
      'function_call',
      'parallel_tool_calls',
      'mcp_servers',
      'web_search_options',
      'deferred_tools',
      'plugins',
    ],
  ],
  [
    'Answer',
    [
      'response_format',
      'text',
      'output_format',
      'output_config',
      'structured_outputs',
      'modalities',
      'audio',
      'image',
      'image_config',
      'include',
    ],
  ],
];

const titles: Readonly<Record<string, string>> = {
  models: 'Models to fall back on',
  fallbacks: 'To fall back on',
  n: 'Answers to a call',
  stop: 'Stop at',
  logprobs: 'Log probabilities',
  top_logprobs: 'Top log probabilities',
  mcp_servers: 'MCP servers',
  response_format: 'Format of the answer',
  output_format: 'Format of the answer',
  text: 'Text of the answer',
};

function titleOf(name: string): Pick<ConfigField, 'title' | 'isRetitled'> {
  const known = Object.hasOwn(titles, name) ? titles[name] : undefined;
  const words = name.replaceAll('_', ' ');
  return { title: known ?? words.charAt(0).toUpperCase() + words.slice(1), isRetitled: known !== undefined };
}
