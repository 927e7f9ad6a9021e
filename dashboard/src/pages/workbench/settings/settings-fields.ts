/**
 * The settings of a request that have a form, by dialect.
 *
 * A field is a path into the request with the kind of control that edits it. Fields that are absent
 * from this table are edited as JSON under "Other fields", so everything a version can hold is
 * reachable.
 */

import { isJsonObject, type JsonObject } from '../../../../../src/core/json/json-object.ts';
import type { Dialect } from '../../../../../src/core/presets/preset.ts';
import { dialectOf } from '../../../../../src/dialects/dialects.ts';
import type { JSONPath } from '../../../features/request/request-text.ts';
import { outputFormats } from './output-formats.ts';

export interface SettingField {
  readonly label: string;
  readonly path: JSONPath;
  readonly control: Control;
  readonly hint?: string;
}

export type Control =
  | { readonly kind: 'model' }
  /** A number. Without bounds, the server's own are unknown here. */
  | {
      readonly kind: 'number';
      readonly min?: number;
      readonly max?: number;
      readonly step: number;
    }
  | { readonly kind: 'choice'; readonly options: readonly string[] }
  | { readonly kind: 'flag' }
  /** Texts, one per line. */
  | { readonly kind: 'list'; readonly placeholder: string };

export interface SettingGroup {
  readonly title: string;
  readonly fields: readonly SettingField[];
}

/** In display order. Tools, the output format and the policy have forms of their own. */
export function settingGroups(dialect: Dialect): readonly SettingGroup[] {
  return groupsOf[dialect];
}

/**
 * The paths of values without a form, in the order of the request: top-level fields, and the other
 * parts of objects that have forms for some. Fields that a preset does not save, such as the
 * conversation, are left out.
 */
export function otherFields(body: JsonObject, dialect: Dialect): readonly JSONPath[] {
  const fields: Readonly<Record<string, string>> = dialectOf[dialect].request.fields;
  return Object.entries(body).flatMap(([name, value]): readonly JSONPath[] => {
    // A field that is newer than presetd is ignored by captures, but the user should see it.
    if (Object.hasOwn(fields, name) && fields[name] !== 'captured') return [];
    const parts = formParts[dialect].get(name);
    if (parts === undefined) return [[name]];
    if (parts.length === 0) return [];
    if (!isJsonObject(value)) return [[name]];
    return Object.keys(value).flatMap((part) => (parts.includes(part) ? [] : [[name, part]]));
  });
}

const number = (min: number, max: number, step = 0.1): Control => ({ kind: 'number', min, max, step });
const count: Control = { kind: 'number', min: 1, step: 1 };
const flag: Control = { kind: 'flag' };

const model: SettingField = { label: 'Model', path: ['model'], control: { kind: 'model' } };
const temperature: SettingField = { label: 'Temperature', path: ['temperature'], control: number(0, 2) };
const topP: SettingField = { label: 'Top P', path: ['top_p'], control: number(0, 1, 0.05) };
const topK: SettingField = { label: 'Top K', path: ['top_k'], control: { kind: 'number', min: 0, step: 1 } };

const penalties: readonly SettingField[] = [
  { label: 'Frequency penalty', path: ['frequency_penalty'], control: number(-2, 2) },
  { label: 'Presence penalty', path: ['presence_penalty'], control: number(-2, 2) },
];

const stop = (name: string): SettingField => ({
  label: 'Stop sequences',
  path: [name],
  control: { kind: 'list', placeholder: 'One per line' },
});

const tokenLimit = (name: string): SettingField => ({
  label: 'Maximum output tokens',
  path: [name],
  control: count,
});

const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

const reasoning: readonly SettingField[] = [
  { label: 'Reasoning effort', path: ['reasoning', 'effort'], control: { kind: 'choice', options: efforts } },
  { label: 'Reasoning tokens', path: ['reasoning', 'max_tokens'], control: count },
  {
    label: 'Reasoning summary',
    path: ['reasoning', 'summary'],
    control: { kind: 'choice', options: ['auto', 'concise', 'detailed'] },
  },
  { label: 'Exclude reasoning', path: ['reasoning', 'exclude'], control: flag },
];

const verbosity = (path: JSONPath): SettingField => ({
  label: 'Verbosity',
  path,
  control: { kind: 'choice', options: ['low', 'medium', 'high', 'xhigh', 'max'] },
});

const fallbackModels: SettingField = {
  label: 'Fallback models',
  path: ['models'],
  control: { kind: 'list', placeholder: 'One model per line, tried in order' },
};

const names = { kind: 'list', placeholder: 'One provider per line' } as const;

/** OpenRouter's fields, which are the same in every dialect. */
const routing: SettingGroup = {
  title: 'Routing and fallbacks',
  fields: [
    fallbackModels,
    { label: 'Provider order', path: ['provider', 'order'], control: names },
    { label: 'Only these providers', path: ['provider', 'only'], control: names },
    { label: 'Ignored providers', path: ['provider', 'ignore'], control: names },
    {
      label: 'Sort providers by',
      path: ['provider', 'sort'],
      control: { kind: 'choice', options: ['price', 'throughput', 'latency', 'exacto'] },
    },
    { label: 'Allow other providers', path: ['provider', 'allow_fallbacks'], control: flag },
    { label: 'Require all parameters', path: ['provider', 'require_parameters'], control: flag },
    { label: 'Zero data retention', path: ['provider', 'zdr'], control: flag },
    {
      label: 'Data collection',
      path: ['provider', 'data_collection'],
      control: { kind: 'choice', options: ['allow', 'deny'] },
    },
  ],
};

const toolUse: SettingGroup = {
  title: 'Tool use',
  fields: [
    { label: 'Parallel tool calls', path: ['parallel_tool_calls'], control: flag },
    { label: 'Maximum tool calls', path: ['max_tool_calls'], control: count },
  ],
};

/** Which parts of the preset calls may change. */
const policy: SettingGroup = {
  title: 'Policy',
  fields: [
    {
      label: 'System prompt of a call',
      path: ['presetd', 'policy', 'system_prompt'],
      control: { kind: 'choice', options: ['replace', 'prepend', 'append', 'lock'] },
      hint: 'If a call has its own: “replace” uses it instead of the preset’s, “prepend” puts the preset’s before it, “append” puts the preset’s after it, and “lock” ignores it.',
    },
    {
      label: 'Locked fields',
      path: ['presetd', 'policy', 'locked'],
      control: { kind: 'list', placeholder: 'One field per line, such as model' },
      hint: 'Calls cannot set them.',
    },
    {
      label: 'Maximum output tokens of a call',
      path: ['presetd', 'policy', 'limits', 'max_tokens'],
      control: count,
    },
    {
      label: 'Maximum temperature',
      path: ['presetd', 'policy', 'limits', 'temperature'],
      control: number(0, 2),
    },
    { label: 'Maximum choices', path: ['presetd', 'policy', 'limits', 'n'], control: count },
    {
      label: 'Maximum reasoning tokens',
      path: ['presetd', 'policy', 'limits', 'reasoning_tokens'],
      control: count,
    },
  ],
};

const groupsOf: Readonly<Record<Dialect, readonly SettingGroup[]>> = {
  'chat-completions': [
    { title: 'Model', fields: [model] },
    {
      title: 'Sampling',
      fields: [
        temperature,
        topP,
        topK,
        { label: 'Min P', path: ['min_p'], control: number(0, 1, 0.05) },
        { label: 'Top A', path: ['top_a'], control: number(0, 1, 0.05) },
        ...penalties,
        { label: 'Repetition penalty', path: ['repetition_penalty'], control: number(0, 2) },
        { label: 'Seed', path: ['seed'], control: { kind: 'number', step: 1 } },
      ],
    },
    {
      title: 'Limits',
      fields: [
        tokenLimit('max_tokens'),
        {
          label: 'Maximum completion tokens',
          path: ['max_completion_tokens'],
          control: count,
          hint: 'OpenAI’s newer name for this limit, required by its reasoning models.',
        },
        stop('stop'),
      ],
    },
    { title: 'Reasoning', fields: [...reasoning, verbosity(['verbosity'])] },
    toolUse,
    routing,
    policy,
  ],
  messages: [
    { title: 'Model', fields: [model] },
    { title: 'Sampling', fields: [{ ...temperature, control: number(0, 1) }, topP, topK] },
    { title: 'Limits', fields: [tokenLimit('max_tokens'), stop('stop_sequences')] },
    {
      title: 'Reasoning',
      fields: [
        {
          label: 'Effort',
          path: ['output_config', 'effort'],
          control: { kind: 'choice', options: ['low', 'medium', 'high', 'xhigh', 'max'] },
        },
        {
          label: 'Thinking',
          path: ['thinking', 'type'],
          control: { kind: 'choice', options: ['adaptive', 'enabled', 'between_tools', 'disabled'] },
        },
        {
          label: 'Thinking tokens',
          path: ['thinking', 'budget_tokens'],
          control: { kind: 'number', min: 1_024, step: 1 },
          hint: 'Required if Thinking is “enabled”, and used only then.',
        },
      ],
    },
    routing,
    policy,
  ],
  responses: [
    { title: 'Model', fields: [model] },
    { title: 'Sampling', fields: [temperature, topP, topK, ...penalties] },
    { title: 'Limits', fields: [tokenLimit('max_output_tokens'), stop('stop')] },
    { title: 'Reasoning', fields: [...reasoning, verbosity(['text', 'verbosity'])] },
    toolUse,
    routing,
    policy,
  ],
};

/** By top-level field, the parts of it that have a form; none if all of it has. */
const formParts: Readonly<Record<Dialect, ReadonlyMap<string, readonly string[]>>> = {
  'chat-completions': partsOf('chat-completions'),
  messages: partsOf('messages'),
  responses: partsOf('responses'),
};

function partsOf(dialect: Dialect): ReadonlyMap<string, readonly string[]> {
  const paths = [
    ...groupsOf[dialect].flatMap(({ fields }) => fields.map(({ path }) => path)),
    // These have forms of their own.
    outputFormats[dialect].path,
    ['tools'],
    ['tool_choice'],
  ];
  return new Map(
    paths.map(([name]) => [
      String(name),
      paths.flatMap(([other, part]) => (other === name && part !== undefined ? [String(part)] : [])),
    ]),
  );
}
