import type { PresetVersion } from '../../../../src/api/versions.ts';
import { capitalize } from '../../components/text.ts';

export interface ConfigField {
  /** The name in the config. */
  readonly name: string;
  /** The name in words. */
  readonly title: string;
  /** Whether the title is more than the name in words, so that the name is shown too. */
  readonly isRetitled: boolean;
  readonly value: unknown;
}

interface ConfigSection {
  readonly title: string;
  readonly fields: readonly ConfigField[];
}

/** Groups the fields of a config by topic, the most important first. Unknown fields come last. */
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

/** Fields that are in no section are shown under "Other". */
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
    'Output',
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

/** Titles for fields whose names alone do not say enough. */
const titles: Readonly<Record<string, string>> = {
  models: 'Fallback models',
  n: 'Choices per call',
  stop: 'Stop sequences',
  logprobs: 'Log probabilities',
  top_logprobs: 'Top log probabilities',
  mcp_servers: 'MCP servers',
  text: 'Text output',
};

function titleOf(name: string): Pick<ConfigField, 'title' | 'isRetitled'> {
  const known = Object.hasOwn(titles, name) ? titles[name] : undefined;
  return { title: known ?? capitalize(name.replaceAll('_', ' ')), isRetitled: known !== undefined };
}
