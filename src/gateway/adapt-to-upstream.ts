import type { Dialect } from '../core/preset.ts';
import { isJsonObject, type JsonObject } from '../dialects/json-object.ts';
import { isWebSearch, toolLabel } from '../dialects/tool-concepts.ts';
import { isServerTool } from '../dialects/tool-identity.ts';
import type { UpstreamKind } from './upstreams/upstream.ts';

export interface AdaptedBody {
  /** The very body that came in, where the upstream takes it as it is. */
  readonly body: JsonObject;
  /** The names of what it does not take, nested parts with dots. */
  readonly droppedFields: readonly string[];
}

/** A request without what its upstream would refuse because only OpenRouter knows it. */
export function adaptToUpstream(body: JsonObject, dialect: Dialect, kind: UpstreamKind): AdaptedBody {
  if (kind === 'openrouter') return { body, droppedFields: [] };
  const steps = [
    withoutFields(unknownTo(kind, dialect)),
    withoutServerTools(dialect),
    toolMarkStep(dialect, kind),
    reasoningStep(dialect, kind),
  ];
  return steps.reduce<AdaptedBody>(
    (fitted, step) => {
      const next = step(fitted.body);
      return next === undefined
        ? fitted
        : { body: next.body, droppedFields: [...fitted.droppedFields, ...next.droppedFields] };
    },
    { body, droppedFields: [] },
  );
}

/** Undefined where there is nothing to be done. */
type Step = (body: JsonObject) => AdaptedBody | undefined;

/** What belongs to OpenRouter's own service: its routing, its tools, its accounts. */
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
 * Lists of what is refused, not of what is known, so that a field of tomorrow is the upstream's to judge. OpenAI refuses
 * every field that it does not know; servers that are like it take the sampling parameters that it has not.
 */
const openAiRefuses: Readonly<Record<Dialect, ReadonlySet<string>>> = {
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

/** Anthropic has the end user in `metadata`. */
const othersRefuse: Readonly<Record<Dialect, ReadonlySet<string>>> = {
  'chat-completions': new Set(openRouterFields),
  messages: new Set([...openRouterFields, 'user']),
  responses: new Set(openRouterFields),
};

function unknownTo(kind: UpstreamKind, dialect: Dialect): ReadonlySet<string> {
  return (kind === 'openai' ? openAiRefuses : othersRefuse)[dialect];
}

function withoutFields(names: ReadonlySet<string>): Step {
  return (body) => {
    const droppedFields = Object.keys(body).filter((name) => names.has(name));
    return droppedFields.length === 0 ? undefined : { body: omit(body, droppedFields), droppedFields };
  };
}

/** Where no tool is left, there is no choice among them either. */
function withoutServerTools(dialect: Dialect): Step {
  // In chat completions OpenRouter alone searches the web by a tool.
  const isUnknown = (tool: unknown): tool is JsonObject =>
    isServerTool(tool) || (dialect === 'chat-completions' && isJsonObject(tool) && isWebSearch(tool));
  return (body) => {
    const { tools } = body;
    if (!Array.isArray(tools) || !tools.some(isUnknown)) return undefined;
    const rest = tools.filter((tool) => !isUnknown(tool));
    const dropped = tools.filter(isUnknown).map(({ type }) => `tools.${type}`);
    const idle = choiceFields.filter(
      (name) => Object.hasOwn(body, name) && (rest.length === 0 || isUnknown(body[name])),
    );
    const fitted = omit(body, rest.length === 0 ? ['tools', ...idle] : idle);
    return {
      body: rest.length === 0 ? fitted : { ...fitted, tools: rest },
      droppedFields: [...new Set(dropped), ...idle],
    };
  };
}

const choiceFields = ['tool_choice', 'parallel_tool_calls'];

/** OpenAI caches without being told where, and refuses to be. */
function toolMarkStep(dialect: Dialect, kind: UpstreamKind): Step {
  return dialect === 'chat-completions' && kind === 'openai' ? withoutToolMarks : () => undefined;
}

function withoutToolMarks(body: JsonObject): AdaptedBody | undefined {
  const { tools } = body;
  if (!Array.isArray(tools) || !tools.some(isMarked)) return undefined;
  return {
    body: { ...body, tools: tools.map((tool) => (isMarked(tool) ? omit(tool, ['cache_control']) : tool)) },
    droppedFields: tools.flatMap((tool: unknown, place) =>
      isMarked(tool) ? [`tools.${toolLabel(tool) ?? place}.cache_control`] : [],
    ),
  };
}

function isMarked(tool: unknown): tool is JsonObject {
  return isJsonObject(tool) && Object.hasOwn(tool, 'cache_control');
}

/** Only OpenRouter has an object `reasoning` in chat completions; that of OpenAI's responses has fewer parts. */
function reasoningStep(dialect: Dialect, kind: UpstreamKind): Step {
  if (dialect === 'chat-completions') return effortAlone;
  return dialect === 'responses' && kind === 'openai' ? openAiReasoning : () => undefined;
}

function effortAlone(body: JsonObject): AdaptedBody | undefined {
  if (!Object.hasOwn(body, 'reasoning')) return undefined;
  const { reasoning, ...rest } = body;
  if (!isJsonObject(reasoning)) return { body: rest, droppedFields: ['reasoning'] };
  const { effort, lost } = readReasoning(reasoning, []);
  const isGiven = effort === undefined || Object.hasOwn(rest, 'reasoning_effort');
  return { body: isGiven ? rest : { ...rest, reasoning_effort: effort }, droppedFields: lost };
}

function openAiReasoning(body: JsonObject): AdaptedBody | undefined {
  const { reasoning, ...rest } = body;
  if (!isJsonObject(reasoning)) return undefined;
  const { effort, kept, lost } = readReasoning(reasoning, ['summary', 'generate_summary', 'context', 'mode']);
  if (lost.length === 0 && effort === reasoning.effort) return undefined;
  const fitted = effort === undefined ? kept : { effort, ...kept };
  const isEmpty = Object.keys(fitted).length === 0;
  return { body: isEmpty ? rest : { ...rest, reasoning: fitted }, droppedFields: lost };
}

/** No effort is how everyone but OpenRouter spells that reasoning is off. A null says nothing. */
function readReasoning(
  { effort, ...parts }: JsonObject,
  known: readonly string[],
): { readonly effort: unknown; readonly kept: JsonObject; readonly lost: readonly string[] } {
  const isOff = parts.enabled === false && (effort === undefined || effort === null);
  const others = Object.keys(parts).filter((name) => !known.includes(name));
  const lost = others.filter((name) => parts[name] !== null && !(isOff && name === 'enabled'));
  return {
    effort: isOff ? 'none' : (effort ?? undefined),
    kept: omit(parts, others),
    lost: lost.map((name) => `reasoning.${name}`),
  };
}

/** Entries are made own properties whatever their name, `__proto__` too. */
function omit(body: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
}
