import type { Dialect } from '../core/presets/preset.ts';
import { isJsonObject, type JsonObject } from '../dialects/json-object.ts';
import { isServerTool, isWebSearch, toolLabel } from '../dialects/tool-identity.ts';
import type { UpstreamKind } from './upstreams/upstream.ts';

export interface AdaptedBody {
  /** The same object that came in if the upstream accepts it unchanged. */
  readonly body: JsonObject;
  /** The names of the removed fields; nested ones use dots. */
  readonly droppedFields: readonly string[];
}

/**
 * Removes from a request what the upstream would reject because only OpenRouter supports it, so
 * that a preset captured from an OpenRouter request works with other upstreams too.
 */
export function adaptToUpstream(body: JsonObject, dialect: Dialect, kind: UpstreamKind): AdaptedBody {
  if (kind === 'openrouter') return { body, droppedFields: [] };
  const steps = [
    removeFields(rejectedFields(kind, dialect)),
    removeServerTools(dialect),
    toolCacheStep(dialect, kind),
    reasoningStep(dialect, kind),
  ];
  return steps.reduce<AdaptedBody>(
    (adapted, step) => {
      const next = step(adapted.body);
      return next === undefined
        ? adapted
        : { body: next.body, droppedFields: [...adapted.droppedFields, ...next.droppedFields] };
    },
    { body, droppedFields: [] },
  );
}

/** Returns undefined if there is nothing to change. */
type Step = (body: JsonObject) => AdaptedBody | undefined;

/** Fields of OpenRouter's own service: routing, server tools, accounts. */
const openRouterFields = [
  'models',
  'provider',
  'plugins',
  'route',
  'transforms',
  'deferred_tools',
  'stop_server_tools_when',
  'session_id',
  'trace',
  'debug',
  'usage',
  'preset',
];

/**
 * These are deny lists, so that a field that is newer than presetd reaches the upstream. OpenAI
 * rejects every field it does not know. Compatible servers accept sampling parameters that OpenAI
 * lacks.
 */
const openAiRejects: Readonly<Record<Dialect, ReadonlySet<string>>> = {
  'chat-completions': new Set([
    ...openRouterFields,
    'prompt',
    'top_k',
    'top_a',
    'min_p',
    'repetition_penalty',
    'max_tool_calls',
    'include_reasoning',
    'structured_outputs',
    'image_config',
    'cache_control',
  ]),
  messages: new Set([...openRouterFields, 'user']),
  responses: new Set([
    ...openRouterFields,
    'stop',
    'top_k',
    'frequency_penalty',
    'presence_penalty',
    'modalities',
    'image_config',
    'cache_control',
  ]),
};

/** `user` goes too for messages: Anthropic has the end user in `metadata`. */
const othersReject: Readonly<Record<Dialect, ReadonlySet<string>>> = {
  'chat-completions': new Set(openRouterFields),
  messages: new Set([...openRouterFields, 'user']),
  responses: new Set(openRouterFields),
};

function rejectedFields(kind: UpstreamKind, dialect: Dialect): ReadonlySet<string> {
  return (kind === 'openai' ? openAiRejects : othersReject)[dialect];
}

function removeFields(names: ReadonlySet<string>): Step {
  return (body) => {
    const droppedFields = Object.keys(body).filter((name) => names.has(name));
    return droppedFields.length === 0 ? undefined : { body: omit(body, droppedFields), droppedFields };
  };
}

/**
 * Removes the tools that OpenRouter runs itself, and the tool choice if it names one of them or no
 * tool is left: upstreams reject a choice without tools.
 */
function removeServerTools(dialect: Dialect): Step {
  // In chat completions, only OpenRouter offers web search as a tool.
  const isRejected = (tool: unknown): tool is JsonObject =>
    isServerTool(tool) || (dialect === 'chat-completions' && isJsonObject(tool) && isWebSearch(tool));
  return (body) => {
    const { tools } = body;
    if (!Array.isArray(tools) || !tools.some(isRejected)) return undefined;
    const rest = tools.filter((tool) => !isRejected(tool));
    const dropped = tools.filter(isRejected).map(({ type }) => `tools.${type}`);
    const staleChoices = choiceFields.filter(
      (name) => Object.hasOwn(body, name) && (rest.length === 0 || isRejected(body[name])),
    );
    const adapted = omit(body, rest.length === 0 ? ['tools', ...staleChoices] : staleChoices);
    return {
      body: rest.length === 0 ? adapted : { ...adapted, tools: rest },
      droppedFields: [...new Set(dropped), ...staleChoices],
    };
  };
}

const choiceFields = ['tool_choice', 'parallel_tool_calls'];

/** OpenAI caches prompts automatically and rejects `cache_control` on tools. */
function toolCacheStep(dialect: Dialect, kind: UpstreamKind): Step {
  return dialect === 'chat-completions' && kind === 'openai' ? removeToolCacheControl : () => undefined;
}

function removeToolCacheControl(body: JsonObject): AdaptedBody | undefined {
  const { tools } = body;
  if (!Array.isArray(tools) || !tools.some(hasCacheControl)) return undefined;
  return {
    body: {
      ...body,
      tools: tools.map((tool) => (hasCacheControl(tool) ? omit(tool, ['cache_control']) : tool)),
    },
    droppedFields: tools.flatMap((tool: unknown, index) =>
      hasCacheControl(tool) ? [`tools.${toolLabel(tool) ?? index}.cache_control`] : [],
    ),
  };
}

function hasCacheControl(tool: unknown): tool is JsonObject {
  return isJsonObject(tool) && Object.hasOwn(tool, 'cache_control');
}

/**
 * In chat completions, only OpenRouter has a `reasoning` object; everyone else has
 * `reasoning_effort`. In responses, OpenAI's `reasoning` object has fewer fields than OpenRouter's.
 */
function reasoningStep(dialect: Dialect, kind: UpstreamKind): Step {
  if (dialect === 'chat-completions') return replaceReasoningByEffort;
  return dialect === 'responses' && kind === 'openai' ? removeOpenRouterReasoning : () => undefined;
}

function replaceReasoningByEffort(body: JsonObject): AdaptedBody | undefined {
  if (!Object.hasOwn(body, 'reasoning')) return undefined;
  const { reasoning, ...rest } = body;
  if (!isJsonObject(reasoning)) return { body: rest, droppedFields: ['reasoning'] };
  const { effort, dropped } = splitReasoning(reasoning, []);
  const isAlreadySet = effort === undefined || Object.hasOwn(rest, 'reasoning_effort');
  return { body: isAlreadySet ? rest : { ...rest, reasoning_effort: effort }, droppedFields: dropped };
}

function removeOpenRouterReasoning(body: JsonObject): AdaptedBody | undefined {
  const { reasoning, ...rest } = body;
  if (!isJsonObject(reasoning)) return undefined;
  const openAiParts = ['summary', 'generate_summary', 'context', 'mode'];
  const { effort, supported, dropped } = splitReasoning(reasoning, openAiParts);
  if (dropped.length === 0 && effort === reasoning.effort) return undefined;
  const adapted = effort === undefined ? supported : { effort, ...supported };
  const isEmpty = Object.keys(adapted).length === 0;
  return { body: isEmpty ? rest : { ...rest, reasoning: adapted }, droppedFields: dropped };
}

/**
 * Splits a `reasoning` object into its effort, the fields that the upstream supports and the names
 * of the others. `enabled: false` becomes the effort `none`, which is how everyone but OpenRouter
 * turns reasoning off. A null counts as absent.
 */
function splitReasoning(
  { effort, ...parts }: JsonObject,
  supportedNames: readonly string[],
): { readonly effort: unknown; readonly supported: JsonObject; readonly dropped: readonly string[] } {
  const isOff = parts.enabled === false && (effort === undefined || effort === null);
  const others = Object.keys(parts).filter((name) => !supportedNames.includes(name));
  const dropped = others.filter((name) => parts[name] !== null && !(isOff && name === 'enabled'));
  return {
    effort: isOff ? 'none' : (effort ?? undefined),
    supported: omit(parts, others),
    dropped: dropped.map((name) => `reasoning.${name}`),
  };
}

/** `Object.fromEntries` defines own properties even for `__proto__`, unlike assignment. */
function omit(body: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
}
